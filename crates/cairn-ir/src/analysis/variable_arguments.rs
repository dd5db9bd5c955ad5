//! Functions whose variable arguments all have one type.
//!
//! An analysis that looks at a function without its callers does not know what they pass. For most functions with variable arguments
//! this does not matter: every call passes what the function takes, such as any number of pointers.

use rustc_hash::FxHashSet;

use super::CallGraph;
use super::call_graph::Calls;
use crate::FuncId;
use crate::inst::{Callee, Inst, Intrinsic, Operand, VariableClass};
use crate::program::{Function, Program};

/// Returns whether all calls of a function pass variable arguments of the one class and size that it takes.
pub fn takes_what_is_passed(program: &Program, graph: &CallGraph, id: FuncId) -> bool {
    let mut taken = FxHashSet::default();
    let (mut seen, mut waiting) = (FxHashSet::default(), vec![id]);
    while let Some(reader) = waiting.pop() {
        let function = &program.functions[reader.index()];
        // Functions with variable arguments of their own read other lists.
        if !seen.insert(reader) || (reader != id && starts_list(function)) {
            continue;
        }
        if !types_taken(function, &mut taken) {
            return false;
        }
        waiting.extend(graph.callees(reader, Calls::All));
    }
    if taken.len() > 1 || graph.addressed().contains(&id) {
        return taken.is_empty();
    }
    let named = program.functions[id.index()].signature.params.len();
    program.functions.iter().flat_map(instructions).all(|inst| match inst {
        Inst::Call(call) if call.callee == Callee::Function(id) => call
            .args
            .iter()
            .skip(named)
            .filter(|arg| arg.passing.variable_room() > 0)
            .all(|arg| taken.is_empty() || taken.contains(&arg.passing.variable_argument(program.target))),
        _ => true,
    })
}

/// Returns whether a function begins to read its variable arguments.
pub fn starts_list(function: &Function) -> bool {
    instructions(function).any(|inst| matches!(inst, Inst::Intrinsic { op: Intrinsic::VaStart, .. }))
}

/// Returns whether a function reads variable arguments, of its own or of a list that it got.
pub fn reads_list(function: &Function) -> bool {
    let reads = |op: Intrinsic| matches!(op, Intrinsic::VaArg | Intrinsic::FormatFile | Intrinsic::FormatBuffer);
    instructions(function).any(|inst| matches!(inst, Inst::Intrinsic { op, .. } if reads(*op)))
}

/// Adds the classes and sizes that a function takes from lists; `false` if they are not constants.
fn types_taken(function: &Function, taken: &mut FxHashSet<(VariableClass, u64)>) -> bool {
    instructions(function).all(|inst| match inst {
        Inst::Intrinsic { op: Intrinsic::VaArg, args, .. } => match args[..] {
            [_, Operand::Int(class), Operand::Int(size)] => {
                VariableClass::from_number(class as u128).map(|class| taken.insert((class, size as u64))).is_some()
            }
            _ => false,
        },
        Inst::Intrinsic { op: Intrinsic::FormatFile | Intrinsic::FormatBuffer, .. } => false,
        _ => true,
    })
}

fn instructions(function: &Function) -> impl Iterator<Item = &Inst> {
    function.body.iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts)
}
