//! Checks that engines prove for each other. Templates say nothing about what is left allocated (FMCAD §V-C), but prove accesses that
//! depend on the contents of lists; proving by shape is the other way round. So a task that asks for both is divided: templates prove
//! what they can, and that is *granted* to a proof by shape of the rest.
//!
//! This is sound because templates prove of every run that it violates none of their checks, with no word of leaks; a proof by shape
//! follows every run up to the first violation; and so a path on which it sees a granted check fail is none of the program.

use cairn_ir::{CheckKind, Inst, Intrinsic, Program};

use crate::portfolio::Task;

/// The checks that may be granted: where one fails, the state shows for certain that it does. A pointer that proving has lost track of
/// may be fine in the program, whose path then goes on, so that checks of such pointers are not among them.
const GRANTABLE: [CheckKind; 5] = [
    CheckKind::NullDeref,
    CheckKind::UseAfterFree,
    CheckKind::UseAfterScope,
    CheckKind::OutOfBounds,
    CheckKind::DoubleFree,
];

/// Checks of what is left allocated: they are of the whole program and not of a place.
pub(crate) const fn is_of_the_end(kind: CheckKind) -> bool {
    matches!(kind, CheckKind::Leak | CheckKind::Unfreed)
}

/// Whether a check may be granted to a proof by shape.
pub(crate) fn is_grantable(kind: CheckKind) -> bool {
    GRANTABLE.contains(&kind)
}

/// What templates have proved of a task that is divided.
pub(crate) fn by_templates(task: &Task) -> Vec<CheckKind> {
    task.kinds().filter(|&kind| is_grantable(kind)).collect()
}

/// Whether a task is divided: it asks what is left allocated, and something is allocated.
pub(crate) fn is_divided(program: &Program, task: &Task) -> bool {
    task.kinds().any(is_of_the_end) && allocates(program)
}

/// Whether anything is allocated on the heap.
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
