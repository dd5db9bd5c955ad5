//! What a variable of the formula holds: bits, and for what may be a pointer the object that they are an offset into.
//!
//! Objects are numbers ([`Ids`]), so that a pointer is an object and an offset as in the memory model, and a dereference is a
//! choice among the objects that the pointer may point to (FMCAD §III-B2). Bits without an object are an integer; one that is not
//! constant may have been made of an address, so it is a pointer to an unknown place when it is used as one.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_smt::{Term, Terms};

/// An object of the program as the analysis sees it: a variable, or everything that one place allocates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectNumber(pub u32);

/// What a pointer may point to, but for the offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// Nothing: null, or a number.
    Nothing,
    /// Anything: the analysis lost track of it.
    Unknown,
    /// A variable whose life has ended.
    Dead,
    /// An object, or one of those that a place allocates.
    Object(ObjectNumber),
}

/// What a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The object.
    pub base: Base,
    /// The offset in it, or the number; `None` where it varies.
    pub offset: Option<u64>,
}

/// A set of targets.
pub type Targets = Rc<BTreeSet<Target>>;

/// Offsets in one object beyond which they are not told apart.
const MAX_OFFSETS: usize = 8;

/// Adds a target to a set: whether the set is another.
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

/// Whether a set has a target with this base.
pub fn has(targets: &Targets, base: Base) -> bool {
    targets.iter().any(|target| target.base == base)
}

/// The objects of a set, each once.
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

/// The number of the object of a pointer that has none.
pub const NOTHING: u32 = 0;
/// The number of the object of a pointer of which nothing is known.
pub const UNKNOWN: u32 = 1;
/// The number of every variable whose life has ended.
pub const DEAD: u32 = 2;
/// The first number of an object.
pub const FIRST: u32 = 3;
/// Bits of these numbers.
pub const ID_BITS: u32 = 12;

/// The object of a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointee {
    /// Its number.
    pub id: Term,
    /// What the number may say.
    pub targets: Targets,
}

/// A value: bits, and what they point to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The number, or the offset in the object.
    pub bits: Term,
    /// The object; `None` for an integer.
    pub object: Option<Pointee>,
}

/// A set with one target.
pub fn only(base: Base, offset: Option<u64>) -> Targets {
    Rc::new(BTreeSet::from([Target { base, offset }]))
}

impl Value {
    /// An integer.
    pub fn integer(bits: Term) -> Self {
        Self { bits, object: None }
    }

    /// The null pointer.
    pub fn null(terms: &mut Terms, width: u32) -> Self {
        let bits = terms.constant(0, width);
        Self { bits, object: Some(nothing(terms, Some(0))) }
    }

    /// A value of which nothing is known.
    pub fn anything(terms: &mut Terms, name: &str, width: u32) -> Self {
        Self::integer(terms.variable(name, width))
    }

    /// What it points to, when it is used as a pointer.
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

    /// Its number, when it is used as an integer: the address of an object is not known.
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

    /// This value where a condition holds, and another where it does not.
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

/// The object of a pointer that has none.
pub fn nothing(terms: &mut Terms, number: Option<u64>) -> Pointee {
    Pointee { id: terms.constant(u128::from(NOTHING), ID_BITS), targets: only(Base::Nothing, number) }
}
