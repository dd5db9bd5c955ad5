//! Lets the program end in `main`, before the lifetimes of the variables of `main` end.
//!
//! A heap object that only a variable of `main` holds when `main` returns is then still reachable: it is `unfreed` rather than a `leak`.
//! A program that ends has no use for its memory, and few programs free it.

use super::number_checks;
use crate::check::Checks;
use crate::inst::{Callee, Inst, Intrinsic, Operand, Terminator};
use crate::program::{Origin, Program, Symbol};

/// The functions that register code which runs after `main`. This code must not find the variables of `main` alive.
const REGISTERING: &[&str] = &["atexit", "on_exit"];

/// Replaces the returns of `main` by the end of the program.
///
/// Programs that call `main` or register handlers for the end are left as they are.
pub fn run(program: &mut Program) {
    let Some(main) = program.function_named("main") else { return };
    let registers = |id: crate::FuncId| REGISTERING.contains(&program.functions[id.index()].name.as_str());
    let mut is_possible = !program
        .globals
        .iter()
        .flat_map(|global| &global.relocations)
        .any(|relocation| matches!(relocation.target, Symbol::Function(id) if id == main || registers(id)));
    for function in &program.functions {
        for block in function.body.iter().flat_map(|body| &body.blocks) {
            for inst in &block.insts {
                if let Inst::Call(call) = inst
                    && let Callee::Function(callee) = call.callee
                {
                    is_possible &= !registers(callee) && (callee != main || function.origin == Origin::Model);
                }
                inst.for_operands(&mut |operand| {
                    is_possible &= !matches!(operand, Operand::Function(id) if id == main || registers(id));
                });
            }
        }
    }
    let Some(body) = program.functions[main.index()].body.as_mut().filter(|_| is_possible) else { return };
    for block in &mut body.blocks {
        if !matches!(block.end, Terminator::Return(_)) {
            continue;
        }
        // Variables of inner scopes that ended before stay dead.
        while matches!(block.insts.last(), Some(Inst::Leave(_))) && block.locs.last() == Some(&block.end_loc) {
            block.insts.pop();
            block.locs.pop();
        }
        let args = Box::new([Operand::Int(0)]);
        block.insts.push(Inst::Intrinsic { op: Intrinsic::Exit, dst: None, args, checks: Checks::NONE });
        block.locs.push(block.end_loc);
        block.end = Terminator::Unreachable;
    }
    number_checks::run(program);
}
