//! Global variables whose contents are unknown when a function is entered.

use cairn_ir::inst::Operand;
use cairn_ir::program::Linkage;
use cairn_ir::{Inst, Program};

/// The global variables of a program.
#[derive(Clone, Debug)]
pub(crate) struct Variables {
    /// Whether the contents of each are unknown: the user's code, or code elsewhere, may have changed them.
    pub unknown: Vec<bool>,
}

impl Variables {
    /// Returns the variables of a program.
    pub fn of(program: &Program) -> Self {
        let mut changes = vec![false; program.globals.len()];
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
            }
            block.end.for_operands(&mut mark);
        }
        let unknown = program.globals.iter().zip(changes).map(|(global, changes)| {
            let is_model = program.file_name(global.loc).starts_with("<cairn/");
            let is_open = global.linkage == Linkage::External || changes;
            !global.constant && !is_model && global.loc.is_some() && (is_open || !global.defined)
        });
        Self { unknown: unknown.collect() }
    }
}
