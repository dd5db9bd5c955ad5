//! Checks: one entry for every kind of fault that an operation of the program may cause.
//!
//! Each kind has one name. The enum variant, the text form, the documentation page, the test folder and the SARIF rule
//! all use it. `kind.rs` is the table of kinds.

mod kind;
mod property;

pub use self::kind::{After, Answerer, CheckKind, Policy};
pub use self::property::Property;

use crate::ids::{CheckId, FuncId};
use crate::source::Loc;

/// One entry of the program's table of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// The kind of fault.
    pub kind: CheckKind,
    /// The function that contains the operation.
    pub function: FuncId,
    /// The source location of the operation.
    pub loc: Loc,
}

/// The checks of one instruction: a contiguous range of ids, each of a different kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Checks {
    /// The first id; meaningless if `count` is 0.
    pub first: CheckId,
    /// The number of checks.
    pub count: u32,
}

impl Checks {
    /// The empty range, for an instruction that cannot go wrong.
    pub const NONE: Checks = Checks { first: CheckId(0), count: 0 };

    /// Returns whether the range is empty.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Iterates over the ids.
    pub fn iter(self) -> impl Iterator<Item = CheckId> {
        (self.first.0..self.first.0 + self.count).map(CheckId)
    }
}

/// The checks of an access through an arbitrary pointer.
pub const DEREF: &[CheckKind] = &[
    CheckKind::NullDeref,
    CheckKind::UseAfterFree,
    CheckKind::UseAfterScope,
    CheckKind::OutOfBounds,
    CheckKind::InvalidDeref,
    CheckKind::Uninitialised,
];

/// The checks of an access to a named object at a computed offset.
pub const BOUNDS: &[CheckKind] = &[CheckKind::OutOfBounds, CheckKind::Uninitialised];
