//! The division of a task between engines.
//!
//! Templates say nothing about memory that is left allocated (FMCAD §V-C), but they prove accesses that depend on the contents of lists;
//! proofs by shape are the other way round. A task that asks about both is therefore divided: templates prove the checks that they can,
//! and these checks are *granted* to a proof by shape of the rest.
//!
//! This is sound. Templates prove that no execution violates one of their checks, independently of leaks. A proof by shape follows every
//! execution up to its first violation. A path on which a granted check fails is therefore not feasible.

use cairn_ir::{CheckKind, Inst, Intrinsic, Program};

use crate::task::Task;

/// Returns whether a task is divided: it asks about memory that is left allocated, and the program allocates some.
pub fn is_divided(program: &Program, task: &Task) -> bool {
    task.kinds().any(CheckKind::is_of_the_end) && allocates(program)
}

/// Returns whether the program allocates heap objects.
fn allocates(program: &Program) -> bool {
    let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| &body.blocks).flat_map(|block| &block.insts).any(|inst| {
        let Inst::Intrinsic { op, .. } = inst else { return false };
        matches!(
            op,
            Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned | Intrinsic::HeapRealloc
        )
    })
}
