//! The constants of a program: thresholds for bounds, and marks.
//!
//! A *mark* is a constant by which the program distinguishes cases, such as a flag or a value of an `enum`. States and
//! nodes with different marks are kept apart as long as that is affordable.

use std::collections::BTreeSet;

use cairn_ir::analysis::constants::{Side, Use, for_constants};
use cairn_ir::{BinaryOp, Program};
use rustc_hash::FxHashSet;

use crate::limits::MAX_THRESHOLD_STEPS;

/// Returns the constants at which bounds are likely.
///
/// These are the constants that the program compares with, their neighbours, and sizes. A value below such a bound
/// may exceed it after one more addition or multiplication, so these results are included.
pub(crate) fn thresholds(program: &Program) -> BTreeSet<i128> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    let mut near = |value: i128| found.extend([value - 1, value, value + 1]);
    let (mut compared, mut added, mut factors) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for_constants(program, &mut |role, value| match role {
        Use::Compared(..) => {
            near(value);
            compared.insert(value);
        }
        Use::Computed(BinaryOp::Add, _) | Use::Computed(BinaryOp::Sub, Side::Right) => {
            added.insert(value.abs());
        }
        Use::Computed(BinaryOp::Mul, _) => {
            factors.insert(value.abs());
        }
        Use::Computed(BinaryOp::Shl, Side::Right) if (0..32).contains(&value) => {
            factors.insert(1 << value);
        }
        Use::Assigned | Use::Size => near(value),
        _ => {}
    });
    for bound in compared {
        added.iter().filter(|&&step| step > 1).take(MAX_THRESHOLD_STEPS).for_each(|step| near(bound + step));
        factors
            .iter()
            .filter(|&&factor| factor > 1)
            .take(MAX_THRESHOLD_STEPS)
            .for_each(|factor| near(bound.saturating_mul(*factor)));
    }
    found
}

/// Returns the constants that the program assigns, passes or compares with.
pub(crate) fn marks(program: &Program) -> FxHashSet<i128> {
    let mut found = FxHashSet::from_iter([0, 1, -1]);
    for_constants(program, &mut |role, value| {
        let is_mark = matches!(
            role,
            Use::Assigned | Use::AssignedBits | Use::Passed | Use::Compared(..) | Use::Returned | Use::Case
        );
        if is_mark {
            found.insert(value);
        }
    });
    found
}
