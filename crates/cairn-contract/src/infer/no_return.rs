//! Functions that never return: every path from their entry leads to a call of such a function, or goes on forever.

use cairn_ir::inst::Callee;
use cairn_ir::{BlockId, Function, Inst, Program, Terminator};

/// Returns, for each function of a program, whether it never returns.
///
/// This is a fact of the control-flow graphs, whatever the values are. Functions without a body return unless they are declared
/// otherwise.
pub(crate) fn never_returning(program: &Program) -> Vec<bool> {
    let mut never: Vec<bool> = program.functions.iter().map(|function| function.signature.noreturn).collect();
    loop {
        let mut changed = false;
        for (index, function) in program.functions.iter().enumerate() {
            if !never[index] && function.body.is_some() && !may_return(function, &never) {
                never[index] = true;
                changed = true;
            }
        }
        if !changed {
            return never;
        }
    }
}

/// Returns whether a return can be reached without a call of a function that never returns.
fn may_return(function: &Function, never: &[bool]) -> bool {
    let Some(body) = &function.body else { return true };
    let mut seen = vec![false; body.blocks.len()];
    let mut waiting = vec![BlockId::new(0)];
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let block = &body.blocks[id.index()];
        let ends = |inst: &Inst| match inst {
            Inst::Call(call) => matches!(call.callee, Callee::Function(id) if never[id.index()]),
            _ => false,
        };
        if block.insts.iter().any(ends) {
            continue;
        }
        if matches!(block.end, Terminator::Return(_)) {
            return true;
        }
        block.end.for_successors(&mut |next| waiting.push(next));
    }
    false
}
