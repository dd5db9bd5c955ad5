//! Properties and verdicts: what is asked of a program and what is answered.

use std::fmt;

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Loc, Ty};

use crate::engines::interpret::trace::TraceStep;
use crate::engines::interpret::{Fault, Strewn};
use crate::engines::shape::Input;

/// A property of SV-COMP, as a set of checks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// Every access is to a live object and in bounds.
    ValidDeref,
    /// Only live heap objects are freed, by their start.
    ValidFree,
    /// No live heap object becomes unreachable.
    ValidMemtrack,
    /// Every heap object is freed when the program ends.
    ValidMemcleanup,
    /// No assertion fails and the error function is not called.
    UnreachCall,
}

impl Property {
    /// Every property.
    pub const ALL: [Property; 5] = [
        Property::ValidDeref,
        Property::ValidFree,
        Property::ValidMemtrack,
        Property::ValidMemcleanup,
        Property::UnreachCall,
    ];

    /// The name in property files and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Property::ValidDeref => "valid-deref",
            Property::ValidFree => "valid-free",
            Property::ValidMemtrack => "valid-memtrack",
            Property::ValidMemcleanup => "valid-memcleanup",
            Property::UnreachCall => "unreach-call",
        }
    }

    /// The property that a failed check violates.
    pub const fn of(kind: CheckKind) -> Option<Property> {
        Some(match kind {
            CheckKind::NullDeref
            | CheckKind::UseAfterFree
            | CheckKind::UseAfterScope
            | CheckKind::OutOfBounds
            | CheckKind::InvalidDeref
            | CheckKind::InvalidCall => Property::ValidDeref,
            CheckKind::DoubleFree | CheckKind::InvalidFree => Property::ValidFree,
            CheckKind::Leak => Property::ValidMemtrack,
            CheckKind::Unfreed => Property::ValidMemcleanup,
            CheckKind::Assertion => Property::UnreachCall,
            _ => return None,
        })
    }

    /// The checks that belong to it.
    pub fn kinds(self) -> impl Iterator<Item = CheckKind> {
        CheckKind::ALL.iter().copied().filter(move |&k| Property::of(k) == Some(self))
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A nondeterministic value that a run asked for: a byte of standard input when it has no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Where the innermost function of the user was.
    pub loc: Loc,
    /// The type of the value.
    pub ty: Ty,
    /// The value: the low bits, as many as the type has.
    pub value: u128,
}

/// A violation with the inputs that the interpreter replayed to the fault.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The violated property; `None` for checks that belong to none.
    pub property: Option<Property>,
    /// What the interpreter stopped at.
    pub fault: Fault,
    /// What led there.
    pub inputs: Vec<Input>,
    /// The nondeterministic values that the replay asked for, in their order.
    pub asked: Vec<Asked>,
    /// What objects held that nobody wrote, where it was not 0.
    pub strewn: Vec<Strewn>,
    /// Where the program was when it exited, innermost call first; nothing when the fault ended it.
    pub end: Vec<StackPlace>,
    /// The steps of the user's code on the way there.
    pub trace: Vec<TraceStep>,
}

/// The answer for a whole program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every check of the properties is proved.
    True,
    /// One is violated.
    False(Box<Violation>),
    /// Neither; why.
    Unknown(String),
}
