//! The kinds of checks, as one table.
//!
//! A decision that depends on the kind of a check is a column of the table: engines and reports ask the kind and keep no lists.

use std::fmt;

use super::Property;

/// The facts about a kind of check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The name, as used in all input and output.
    pub name: &'static str,
    /// The fault in one sentence.
    pub summary: &'static str,
    /// The property of SV-COMP that the fault violates.
    pub property: Option<Property>,
    /// How an execution goes on after the fault.
    pub after: After,
    /// Whether a symbolic state in which the check fails shows for certain that the execution fails.
    ///
    /// Where the prover has lost track of a pointer, the pointer may be fine in the program, whose execution then goes on; checks
    /// of such pointers are not shown. Only a shown check may be granted to a proof after another engine has proved it.
    pub is_shown: bool,
    /// The engines that may answer the check.
    pub answered_by: &'static [Answerer],
}

/// How an execution goes on after a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// The behaviour is undefined: nothing is known of the rest of the execution.
    Undefined,
    /// The program stops for certain.
    Stops,
    /// The execution goes on with a value that may be anything.
    GoesOn,
    /// The fault is about the end of the whole program and not about a location.
    ProgramEnd,
}

/// An engine that may answer a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerer {
    /// Symbolic execution without abstraction: finds violations, and proves programs with few paths.
    Explore,
    /// Symbolic execution with abstraction.
    Prove,
    /// Template invariants.
    Template,
    /// Data-structure integrity.
    Integrity,
}

/// The engines that execute the program symbolically.
const EXECUTION: &[Answerer] = &[Answerer::Explore, Answerer::Prove];

/// Those and templates, which describe no leaks and no values without a property.
const ALL: &[Answerer] = &[Answerer::Explore, Answerer::Prove, Answerer::Template];

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $policy:expr,)*) => {
        /// The kind of fault that a check guards against.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum CheckKind { $($(#[$doc])* $variant,)* }

        impl CheckKind {
            /// All kinds, in declaration order.
            pub const ALL: &'static [CheckKind] = &[$(CheckKind::$variant,)*];

            /// Returns the row of the table.
            pub const fn policy(self) -> Policy {
                match self { $(CheckKind::$variant => $policy,)* }
            }
        }
    };
}

kinds! {
    /// Access through a null pointer (or through null plus an offset).
    NullDeref = Policy {
        name: "null-deref",
        summary: "Access through a null pointer.",
        property: Some(Property::ValidDeref),
        after: After::Undefined,
        is_shown: true,
        answered_by: ALL,
    },
    /// Access to a heap object after it was freed.
    UseAfterFree = Policy {
        name: "use-after-free",
        summary: "Access to a heap object after it was freed.",
        property: Some(Property::ValidDeref),
        after: After::Undefined,
        is_shown: true,
        answered_by: ALL,
    },
    /// Access to a local object after its block or function ended.
    UseAfterScope = Policy {
        name: "use-after-scope",
        summary: "Access to a local object after its block or function ended.",
        property: Some(Property::ValidDeref),
        after: After::Undefined,
        is_shown: true,
        answered_by: ALL,
    },
    /// Access outside the bounds of the object.
    OutOfBounds = Policy {
        name: "out-of-bounds",
        summary: "Access outside the bounds of an object.",
        property: Some(Property::ValidDeref),
        after: After::Undefined,
        is_shown: true,
        answered_by: ALL,
    },
    /// Access through a pointer that points to no object, or not to data.
    InvalidDeref = Policy {
        name: "invalid-deref",
        summary: "Access through a pointer that points to no object.",
        property: Some(Property::ValidDeref),
        after: After::Undefined,
        is_shown: false,
        answered_by: ALL,
    },
    /// Freeing a heap object twice.
    DoubleFree = Policy {
        name: "double-free",
        summary: "A heap object is freed twice.",
        property: Some(Property::ValidFree),
        after: After::Undefined,
        is_shown: true,
        answered_by: ALL,
    },
    /// Freeing a pointer that is not the start of a live heap object.
    InvalidFree = Policy {
        name: "invalid-free",
        summary: "What is freed is not the start of a live heap object.",
        property: Some(Property::ValidFree),
        after: After::Undefined,
        is_shown: false,
        answered_by: ALL,
    },
    /// The last reference to a live heap object is lost.
    Leak = Policy {
        name: "leak",
        summary: "The last way to reach a live heap object is lost.",
        property: Some(Property::ValidMemtrack),
        after: After::ProgramEnd,
        is_shown: false,
        answered_by: EXECUTION,
    },
    /// A heap object is still allocated when the program ends.
    Unfreed = Policy {
        name: "unfreed",
        summary: "A heap object is still allocated when the program ends.",
        property: Some(Property::ValidMemcleanup),
        after: After::ProgramEnd,
        is_shown: false,
        answered_by: EXECUTION,
    },
    /// The last reference to an open stream or folder is lost.
    FileLeak = Policy {
        name: "file-leak",
        summary: "The last way to reach an open stream or folder is lost.",
        property: None,
        after: After::ProgramEnd,
        is_shown: false,
        answered_by: &[Answerer::Explore],
    },
    /// A failed assertion or a call to the error function.
    Assertion = Policy {
        name: "assertion",
        summary: "An assertion fails or the error function is called.",
        property: Some(Property::UnreachCall),
        after: After::Stops,
        is_shown: false,
        answered_by: ALL,
    },
    /// A node graph that violates the integrity conditions of its data structure.
    Integrity = Policy {
        name: "integrity",
        summary: "A node graph is not valid.",
        property: None,
        after: After::Undefined,
        is_shown: false,
        answered_by: &[Answerer::Integrity],
    },
    /// A branch, an address or an output depends on an uninitialised value.
    Uninitialised = Policy {
        name: "uninitialised",
        summary: "An uninitialised value decides a branch, an address or an output, or is passed to a function.",
        property: None,
        after: After::GoesOn,
        is_shown: false,
        answered_by: EXECUTION,
    },
    /// A call through a pointer that does not point to a function of a compatible type.
    InvalidCall = Policy {
        name: "invalid-call",
        summary: "A call through a pointer that is no function of that type.",
        property: Some(Property::ValidDeref),
        after: After::Undefined,
        is_shown: false,
        answered_by: ALL,
    },
    /// Integer division by zero, or a quotient that does not fit its type.
    DivisionByZero = Policy {
        name: "division-by-zero",
        summary: "Integer division by zero, or one whose quotient does not fit.",
        property: None,
        after: After::Stops,
        is_shown: false,
        answered_by: EXECUTION,
    },
    /// An integer operation whose result C does not define because it does not fit.
    Overflow = Policy {
        name: "overflow",
        summary: "The result of an integer operation does not fit its type.",
        property: Some(Property::NoOverflow),
        after: After::Undefined,
        is_shown: true,
        answered_by: ALL,
    },
    /// Overlapping memory regions passed to a library function that forbids overlap.
    Overlap = Policy {
        name: "overlap",
        summary: "Overlapping regions in a library call that forbids it.",
        property: None,
        after: After::GoesOn,
        is_shown: false,
        answered_by: EXECUTION,
    },
    /// Execution reaches C code that is not modelled.
    Unsupported = Policy {
        name: "unsupported",
        summary: "C that is not modelled is reached.",
        property: None,
        after: After::Undefined,
        is_shown: false,
        answered_by: &[],
    },
}

impl CheckKind {
    /// Returns the name of the kind, as used in all input and output.
    pub const fn name(self) -> &'static str {
        self.policy().name
    }

    /// Returns the kind with the given name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.name() == name)
    }

    /// Returns the property that a fault of this kind violates.
    pub const fn property(self) -> Option<Property> {
        self.policy().property
    }

    /// Returns whether the check is about the end of the whole program and not about a location.
    pub const fn is_of_the_end(self) -> bool {
        matches!(self.policy().after, After::ProgramEnd)
    }

    /// Returns whether an execution goes on after the fault, with the same state.
    pub const fn goes_on(self) -> bool {
        matches!(self.policy().after, After::GoesOn)
    }

    /// Returns whether the behaviour after the fault is undefined.
    pub const fn is_undefined_behaviour(self) -> bool {
        matches!(self.policy().after, After::Undefined)
    }

    /// Returns whether a proof may take the check for granted that another engine has proved.
    pub const fn is_grantable(self) -> bool {
        self.policy().is_shown
    }

    /// Returns whether executions that fail a check of this kind end there, or are covered by the state that continues.
    ///
    /// Other checks also fail where a state has lost track of a pointer that may be valid in the program. Its executions
    /// go on, but no state follows them.
    pub const fn is_followed(self) -> bool {
        self.policy().is_shown || !self.is_undefined_behaviour()
    }

    /// Returns whether an engine may answer the check.
    pub fn is_answered_by(self, engine: Answerer) -> bool {
        self.policy().answered_by.contains(&engine)
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(holds: impl Fn(CheckKind) -> bool) -> Vec<CheckKind> {
        CheckKind::ALL.iter().copied().filter(|&kind| holds(kind)).collect()
    }

    #[test]
    fn names_lead_back_to_the_kind() {
        for &kind in CheckKind::ALL {
            assert_eq!(CheckKind::from_name(kind.name()), Some(kind));
            assert!(kind.policy().summary.ends_with('.'), "{kind}");
        }
    }

    /// Soundness rests on these lists, so that a change of one is meant to be seen.
    #[test]
    fn the_lists_that_proofs_rest_on() {
        use CheckKind::*;
        assert_eq!(
            kinds(CheckKind::is_grantable),
            [NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, DoubleFree, Overflow],
            "the state shows that the check fails"
        );
        assert_eq!(kinds(CheckKind::is_of_the_end), [Leak, Unfreed, FileLeak]);
        assert_eq!(kinds(CheckKind::goes_on), [Uninitialised, Overlap]);
        assert_eq!(
            kinds(CheckKind::is_undefined_behaviour),
            [
                NullDeref,
                UseAfterFree,
                UseAfterScope,
                OutOfBounds,
                InvalidDeref,
                DoubleFree,
                InvalidFree,
                Integrity,
                InvalidCall,
                Overflow,
                Unsupported
            ]
        );
    }

    #[test]
    fn templates_answer_properties_but_not_those_of_the_end() {
        let by_templates = kinds(|kind| kind.is_answered_by(Answerer::Template));
        assert_eq!(by_templates, kinds(|kind| kind.property().is_some() && !kind.is_of_the_end()));
    }
}
