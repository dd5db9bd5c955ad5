//! The environment of functions: global variables whose contents are unknown at the entry, and statements of the user.

use std::sync::Arc;

use cairn_ir::inst::Operand;
use cairn_ir::program::{Global, Linkage, Symbol};
use cairn_ir::{Inst, Program};

use crate::stated::Statements;

/// The contents of pointers to functions in global variables that the code can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hooks {
    /// Their initial values: nobody has changed them yet.
    Initial,
    /// Any functions.
    Any,
}

/// The environment of the functions of a program.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// Whether the contents of each are unknown: the user's code, or code elsewhere, may have changed them.
    pub unknown: Vec<bool>,
    /// The contents of pointers to functions in them.
    pub hooks: Hooks,
    /// Statements of the user about functions.
    pub stated: Arc<Statements>,
}

impl Environment {
    /// Returns the environment of a program's functions.
    pub fn of(program: &Program, hooks: Hooks, stated: &Arc<Statements>) -> Self {
        let mut changes = vec![false; program.globals.len()];
        // Whoever reads an initial value that is an address may change what is there.
        for relocation in program.globals.iter().flat_map(|global| &global.relocations) {
            if let Symbol::Global(id) = relocation.target {
                changes[id.index()] = true;
            }
        }
        let mut is_open = false;
        let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
        for block in bodies.flat_map(|body| &body.blocks) {
            let mut mark = |operand: Operand| {
                if let Operand::Global(id) = operand {
                    changes[id.index()] = true;
                }
            };
            for inst in &block.insts {
                // Reading a variable does not change it; anything else may, or may give its address away.
                if !matches!(inst, Inst::Load { .. } | Inst::LoadBits { .. }) {
                    inst.for_operands(&mut mark);
                }
                // Assembler code may name any variable.
                is_open |= matches!(inst, Inst::Unsupported { .. });
            }
            block.end.for_operands(&mut mark);
        }
        let unknown = program.globals.iter().zip(changes).map(|(global, changes)| {
            let is_model = program.file_name(global.loc).starts_with("<cairn/");
            let is_open = is_open || global.linkage == Linkage::External || changes;
            !global.constant && !is_model && global.loc.is_some() && (is_open || !global.defined)
        });
        Self { unknown: unknown.collect(), hooks, stated: Arc::clone(stated) }
    }
}

/// Returns which variables belong to the state of the C library that code can read, such as `errno`.
///
/// Earlier calls have changed them. Those that hold an address, such as `stdout`, keep it.
pub(crate) fn library_state(program: &Program) -> Vec<bool> {
    let is_state = |global: &Global| {
        let is_model = program.file_name(global.loc).starts_with("<cairn/");
        is_model && !global.constant && global.relocations.is_empty()
    };
    program.globals.iter().map(is_state).collect()
}
