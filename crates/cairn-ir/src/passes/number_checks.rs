//! Rebuilds the table of checks in the order of functions and instructions.
//!
//! Afterwards the table contains exactly the checks that some instruction carries.

use crate::check::{Check, Checks};
use crate::ids::{CheckId, FuncId};
use crate::program::Program;

use super::symbols::block_checks;

/// Runs the pass.
pub fn run(program: &mut Program) {
    let old = std::mem::take(&mut program.checks);
    let mut new: Vec<Check> = Vec::with_capacity(old.len());
    for (index, function) in program.functions.iter_mut().enumerate() {
        let id = FuncId::new(index);
        for block in function.body.iter_mut().flat_map(|body| &mut body.blocks) {
            block_checks(block, &mut |checks: &mut Checks| {
                if checks.is_empty() {
                    return;
                }
                let first = CheckId::new(new.len());
                let from = checks.first.index();
                let kept = &old[from..from + checks.count as usize];
                new.extend(kept.iter().map(|check| Check { function: id, ..*check }));
                checks.first = first;
            });
        }
    }
    program.checks = new;
}
