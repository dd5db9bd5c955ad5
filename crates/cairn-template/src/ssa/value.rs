//! Values of SSA variables: bits, and for a possible pointer the object that they are an offset into.
//!
//! Objects are numbers, so a pointer is an object and an offset as in the memory model, and a dereference is a case
//! split over the objects that the pointer may point to (FMCAD §III-B2). Bits without an object are an integer. An
//! integer that is not constant may have been computed from an address, so it is a pointer with an unknown target when
//! it is used as one.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_smt::{Term, Terms};

use crate::limits::MAX_OFFSETS;

/// An object of the program in the analysis: a variable, a function, or an allocation site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectNumber(pub u32);

/// The target of a pointer without the offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// No object: null, or an integer.
    Nothing,
    /// An unknown target: the analysis has lost track of it.
    Unknown,
    /// A local variable whose scope has ended.
    Dead,
    /// A single object, or any object of an allocation site.
    Object(ObjectNumber),
}

/// A possible target of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The object.
    pub base: Base,
    /// The offset in the object, or the integer; `None` if it varies.
    pub offset: Option<u64>,
}

/// A set of targets.
pub type Targets = Rc<BTreeSet<Target>>;

/// Adds a target to a set. Returns whether the set has changed.
pub fn add_target(set: &mut BTreeSet<Target>, target: Target) -> bool {
    let any = Target { offset: None, ..target };
    if set.contains(&any) || !set.insert(target) {
        return false;
    }
    let same = |other: &Target| other.base == target.base;
    if target.offset.is_none() || set.iter().filter(|t| same(t)).count() > MAX_OFFSETS {
        set.retain(|other| !same(other));
        set.insert(any);
    }
    true
}

/// Returns whether a set has a target with this base.
pub fn has(targets: &Targets, base: Base) -> bool {
    targets.iter().any(|target| target.base == base)
}

/// Returns the objects of a set without duplicates.
pub fn objects(targets: &Targets) -> Vec<ObjectNumber> {
    let mut found: Vec<ObjectNumber> = targets
        .iter()
        .filter_map(|target| match target.base {
            Base::Object(object) => Some(object),
            _ => None,
        })
        .collect();
    found.dedup();
    found
}

/// The object number of null and of integers.
pub const NOTHING: u32 = 0;
/// The object number of a pointer with an unknown target.
pub const UNKNOWN: u32 = 1;
/// The object number of all local variables whose scope has ended.
pub const DEAD: u32 = 2;
/// The first number of an object.
pub const FIRST: u32 = 3;
/// The width of object numbers in bits.
pub const ID_BITS: u32 = 12;

/// The object that a pointer points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointee {
    /// Its object number.
    pub id: Term,
    /// The possible values of the object number.
    pub targets: Targets,
}

/// A value: bits, and the object that they point into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The integer, or the offset in the object.
    pub bits: Term,
    /// The object; `None` for an integer.
    pub object: Option<Pointee>,
}

/// Returns a set with one target.
pub fn only(base: Base, offset: Option<u64>) -> Targets {
    Rc::new(BTreeSet::from([Target { base, offset }]))
}

impl Value {
    /// Returns an integer.
    pub fn integer(bits: Term) -> Self {
        Self { bits, object: None }
    }

    /// Returns the null pointer.
    pub fn null(terms: &mut Terms, width: u32) -> Self {
        let bits = terms.constant(0, width);
        Self { bits, object: Some(nothing(terms, Some(0))) }
    }

    /// Returns an unconstrained value.
    pub fn anything(terms: &mut Terms, name: &str, width: u32) -> Self {
        Self::integer(terms.variable(name, width))
    }

    /// Returns the target of the value as a pointer.
    pub fn pointee(&self, terms: &mut Terms) -> Pointee {
        match &self.object {
            Some(pointee) => pointee.clone(),
            None => match terms.as_const(self.bits) {
                Some(bits) => nothing(terms, Some(bits as u64)),
                None => {
                    Pointee { id: terms.constant(u128::from(UNKNOWN), ID_BITS), targets: only(Base::Unknown, None) }
                }
            },
        }
    }

    /// Returns the value as an integer. The address of an object is an unconstrained number.
    pub fn number(&self, terms: &mut Terms) -> Term {
        match &self.object {
            None => self.bits,
            Some(pointee) => {
                let none = terms.constant(u128::from(NOTHING), ID_BITS);
                let plain = terms.eq(pointee.id, none);
                if terms.is_true(plain) {
                    return self.bits;
                }
                let width = terms.width(self.bits);
                let address = terms.variable("address", width);
                terms.ite(plain, self.bits, address)
            }
        }
    }

    /// Returns `then` where a condition holds and `other` where it does not.
    pub fn choose(terms: &mut Terms, condition: Term, then: &Value, other: &Value) -> Value {
        if terms.is_true(condition) || then == other {
            return then.clone();
        }
        if terms.is_false(condition) {
            return other.clone();
        }
        let bits = terms.ite(condition, then.bits, other.bits);
        if then.object.is_none() && other.object.is_none() {
            return Value::integer(bits);
        }
        let (a, b) = (then.pointee(terms), other.pointee(terms));
        let id = terms.ite(condition, a.id, b.id);
        let targets = if a.targets.is_superset(&b.targets) {
            a.targets
        } else if b.targets.is_superset(&a.targets) {
            b.targets
        } else {
            let mut both = (*a.targets).clone();
            for &target in &*b.targets {
                add_target(&mut both, target);
            }
            Rc::new(both)
        };
        Value { bits, object: Some(Pointee { id, targets }) }
    }
}

/// Returns the target of null or of an integer.
pub fn nothing(terms: &mut Terms, number: Option<u64>) -> Pointee {
    Pointee { id: terms.constant(u128::from(NOTHING), ID_BITS), targets: only(Base::Nothing, number) }
}
