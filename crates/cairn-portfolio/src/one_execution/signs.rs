//! Whether a program uses the results of `memcmp`, `strcmp` and the like for their signs only.
//!
//! C fixes nothing else of these results. The analysis follows them through registers and calls; any other use but a comparison with 0
//! makes it answer no.

use std::collections::BTreeSet;

use cairn_ir::inst::Callee;
use cairn_ir::program::{Body, Program};
use cairn_ir::{FuncId, Inst, Intrinsic, Operand, Terminator};

/// The results that the analysis has found so far.
#[derive(Clone, PartialEq, Default)]
struct Results {
    /// The registers that may hold one, by function.
    registers: BTreeSet<(usize, usize)>,
    /// The functions that may return one.
    functions: BTreeSet<FuncId>,
}

/// Returns whether the signs of the results suffice to execute the program.
pub(super) fn suffice(program: &Program) -> bool {
    let mut results = Results::default();
    loop {
        let before = results.clone();
        for (index, body) in bodies(program) {
            follow(index, body, &mut results);
        }
        if results == before {
            break;
        }
    }
    bodies(program).all(|(index, body)| uses_signs_only(index, body, &results))
}

fn bodies(program: &Program) -> impl Iterator<Item = (usize, &Body)> {
    let bodies = program.functions.iter().enumerate();
    bodies.filter_map(|(index, function)| Some((index, function.body.as_ref()?)))
}

/// Adds the registers and functions that get a result from others.
fn follow(function: usize, body: &Body, results: &mut Results) {
    for block in &body.blocks {
        for inst in &block.insts {
            let gets = match inst {
                Inst::Intrinsic { op: Intrinsic::CompareBytes | Intrinsic::Order, .. } => true,
                Inst::Move { src, .. } => is_result(function, *src, results),
                Inst::Call(call) => match call.callee {
                    Callee::Function(callee) => results.functions.contains(&callee),
                    Callee::Pointer(_) => !results.functions.is_empty(),
                },
                _ => false,
            };
            if gets && let Some(dst) = inst.dst() {
                results.registers.insert((function, dst.index()));
            }
        }
        if let Terminator::Return(Some(value)) = block.end
            && is_result(function, value, results)
        {
            results.functions.insert(FuncId::new(function));
        }
    }
}

fn is_result(function: usize, operand: Operand, results: &Results) -> bool {
    matches!(operand, Operand::Reg(reg) if results.registers.contains(&(function, reg.index())))
}

fn uses_signs_only(function: usize, body: &Body, results: &Results) -> bool {
    let is_result = |operand: Operand| is_result(function, operand, results);
    body.blocks.iter().all(|block| {
        let insts = block.insts.iter().all(|inst| match inst {
            Inst::Move { .. } | Inst::Use { .. } => true,
            Inst::Compare { lhs, rhs, .. } => {
                let is_zero = |operand: Operand| operand == Operand::Int(0);
                !is_result(*lhs) && !is_result(*rhs) || is_zero(*lhs) || is_zero(*rhs)
            }
            _ => {
                let mut only = true;
                inst.for_operands(&mut |operand| only &= !is_result(operand));
                only
            }
        });
        let end = match &block.end {
            Terminator::Return(_) => true,
            end => {
                let mut only = true;
                end.for_operands(&mut |operand| only &= !is_result(operand));
                only
            }
        };
        insts && end
    })
}
