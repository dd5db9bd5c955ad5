//! The properties of SV-COMP.

use std::fmt;

use super::CheckKind;

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
    /// The result of every operation on signed integers fits its type.
    NoOverflow,
}

impl Property {
    /// Every property.
    pub const ALL: [Property; 6] = [
        Property::ValidDeref,
        Property::ValidFree,
        Property::ValidMemtrack,
        Property::ValidMemcleanup,
        Property::UnreachCall,
        Property::NoOverflow,
    ];

    /// Returns the name in property files and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Property::ValidDeref => "valid-deref",
            Property::ValidFree => "valid-free",
            Property::ValidMemtrack => "valid-memtrack",
            Property::ValidMemcleanup => "valid-memcleanup",
            Property::UnreachCall => "unreach-call",
            Property::NoOverflow => "no-overflow",
        }
    }

    /// Returns the property that a fault of this kind violates.
    pub const fn of(kind: CheckKind) -> Option<Property> {
        kind.property()
    }

    /// Returns the checks that the property consists of.
    pub fn kinds(self) -> impl Iterator<Item = CheckKind> {
        CheckKind::ALL.iter().copied().filter(move |&kind| kind.property() == Some(self))
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
