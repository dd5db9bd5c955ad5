//! The checks: every place where something can go wrong, each with the one thing that can.
//!
//! The variant, its name in text, its documentation page, its test folder and its SARIF rule are all the same word.

use std::fmt;

use crate::ids::{CheckId, FuncId};
use crate::source::Loc;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What can go wrong.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum CheckKind { $($(#[$doc])* $variant,)* }

        impl CheckKind {
            /// Every kind, in the order of their declaration.
            pub const ALL: &'static [CheckKind] = &[$(CheckKind::$variant,)*];

            /// The one name, used everywhere.
            pub const fn name(self) -> &'static str {
                match self { $(CheckKind::$variant => $name,)* }
            }
        }
    };
}

kinds! {
    /// Access through a null pointer (or through null plus an offset).
    NullDeref = "null-deref",
    /// Access to a heap object after it was freed.
    UseAfterFree = "use-after-free",
    /// Access to a local object after its block or function ended.
    UseAfterScope = "use-after-scope",
    /// Access outside the bounds of its object.
    OutOfBounds = "out-of-bounds",
    /// Access through a pointer that points to no object at all, or not to data.
    InvalidDeref = "invalid-deref",
    /// Freeing a heap object twice.
    DoubleFree = "double-free",
    /// Freeing something that is not the start of a live heap object.
    InvalidFree = "invalid-free",
    /// The last way to reach a live heap object is lost.
    Leak = "leak",
    /// A heap object is still allocated when the program ends.
    Unfreed = "unfreed",
    /// A failed assertion or a call of the error function.
    Assertion = "assertion",
    /// A node graph that is not valid.
    Integrity = "integrity",
    /// An uninitialised value decides a branch, an address or an output.
    Uninitialised = "uninitialised",
    /// A call through a pointer that is no function, or one of another type.
    InvalidCall = "invalid-call",
    /// Integer division by zero, or one whose quotient does not fit.
    DivisionByZero = "division-by-zero",
    /// Overlapping regions in a library call that forbids it.
    Overlap = "overlap",
    /// C that is not modelled is reached.
    Unsupported = "unsupported",
}

impl CheckKind {
    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.name() == name)
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One entry of the program's table of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// What can go wrong.
    pub kind: CheckKind,
    /// The function it is in.
    pub function: FuncId,
    /// The place in the source.
    pub loc: Loc,
}

/// The checks of one instruction: a contiguous run of ids. Each id in it has a different kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Checks {
    /// The first id; of no meaning when there is none.
    pub first: CheckId,
    /// How many there are.
    pub count: u32,
}

impl Checks {
    /// No check: the instruction can't go wrong.
    pub const NONE: Checks = Checks { first: CheckId(0), count: 0 };

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The ids.
    pub fn iter(self) -> impl Iterator<Item = CheckId> {
        (self.first.0..self.first.0 + self.count).map(CheckId)
    }
}

/// What can go wrong when memory is accessed through a pointer of which nothing is known.
pub const DEREF: &[CheckKind] = &[
    CheckKind::NullDeref,
    CheckKind::UseAfterFree,
    CheckKind::UseAfterScope,
    CheckKind::OutOfBounds,
    CheckKind::InvalidDeref,
    CheckKind::Uninitialised,
];

/// What can go wrong when a named object is accessed at a computed offset.
pub const BOUNDS: &[CheckKind] = &[CheckKind::OutOfBounds, CheckKind::Uninitialised];
