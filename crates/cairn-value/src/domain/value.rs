//! Abstract scalars: an integer set, and the objects that the value may point to.
//!
//! Integers and pointers have one representation, because C converts between them. The integer part stands for values without an object,
//! among them null. A value that was computed from a pointer keeps its objects, with unknown offsets if need be, so that no address is lost
//! in arithmetic.

use smallvec::SmallVec;

use super::map::{TEXT_FILTER, filter_of};
use super::number::Num;
use crate::limits::MAX_TARGETS;

/// An abstract object, as an index into the table of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Obj(pub u32);

/// One object that a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The object.
    pub obj: Obj,
    /// The offsets in bytes, as integers of pointer width.
    pub offset: Num,
    /// What is known about the last zero byte of the object.
    pub text: Text,
}

/// The place of a pointer with respect to the last zero byte of its object. The order is that of knowledge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Text {
    /// Nothing is known.
    Unknown,
    /// The pointer is at the zero byte or before it.
    Inside,
    /// The pointer is before the zero byte.
    Before,
}

impl Text {
    /// Returns what is known after a step.
    pub fn after(self, distance: Option<u64>) -> Text {
        match (self, distance) {
            (text, Some(0)) => text,
            (Text::Before, Some(1)) => Text::Inside,
            _ => Text::Unknown,
        }
    }
}

/// Facts about a value that hold beside its integers and objects.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(u8);

impl Flags {
    /// No further possibilities.
    pub const NONE: Flags = Flags(0);
    /// Some bits may be uninitialised, so that the value may be anything. The integers do not include this case.
    pub const UNINIT: Flags = Flags(1);
    /// The value may point to a heap object that was freed.
    pub const FREED: Flags = Flags(2);
    /// The value may point to a local object whose lifetime has ended.
    pub const ENDED: Flags = Flags(4);
    /// The value may point to any object.
    pub const ANYWHERE: Flags = Flags(8);

    /// Returns whether one of the given flags is set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the flags of both.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Returns the flags that another set lacks.
    pub const fn minus(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Returns the flags without the given ones.
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }
}

/// Addresses below this one belong to no object (`cairn_memory::space::NULL_PAGE`).
pub const NULL_PAGE: u64 = 4096;

/// Returns whether a pointer at these offsets of an object is at no wrapped address, and above the null page.
///
/// Sums with addresses of 64 bits, of which 47 are used, do not wrap around. Addresses of 32 bits may be anywhere below the last page.
pub fn is_near(offset: Num, pointer: u32) -> bool {
    let (low, high) = offset.signed(pointer);
    low > -(NULL_PAGE as i64) && high < if pointer == 32 { NULL_PAGE as i64 } else { 1 << 46 }
}

/// An abstract scalar. Without integers, objects and flags it stands for no value.
///
/// A pointer that flags stand for is near the object that it was computed from, and therefore not null. Where that is not certain, the
/// integers cover it as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The values that point to no object.
    pub num: Option<Num>,
    /// The objects, in ascending order.
    pub targets: SmallVec<[Target; 1]>,
    /// Further possibilities.
    pub flags: Flags,
}

impl Value {
    /// Returns the value that no execution has.
    pub fn none() -> Self {
        Value { num: None, targets: SmallVec::new(), flags: Flags::NONE }
    }

    /// Returns an integer.
    pub fn num(num: Num) -> Self {
        Value { num: Some(num), targets: SmallVec::new(), flags: Flags::NONE }
    }

    /// Returns a constant.
    pub fn constant(value: u64, width: u32) -> Self {
        Value::num(Num::constant(value, width))
    }

    /// Returns any initialised integer that points to no object.
    pub fn any(width: u32) -> Self {
        Value::num(Num::full(width))
    }

    /// Returns an uninitialised value.
    pub fn uninit() -> Self {
        Value { flags: Flags::UNINIT, ..Value::none() }
    }

    /// Returns a pointer to an object.
    pub fn pointer(obj: Obj, offset: Num) -> Self {
        let mut targets = SmallVec::new();
        targets.push(Target { obj, offset, text: Text::Unknown });
        Value { num: None, targets, flags: Flags::NONE }
    }

    /// Returns a pointer to anywhere, or to nowhere.
    pub fn anywhere(width: u32) -> Self {
        Value { flags: Flags::ANYWHERE, ..Value::any(width) }
    }

    /// Returns a value that may be anything, also uninitialised or a dangling pointer.
    pub fn anything(width: u32) -> Self {
        let flags = Flags::ANYWHERE.with(Flags::UNINIT).with(Flags::FREED).with(Flags::ENDED);
        Value { flags, ..Value::any(width.min(64)) }
    }

    /// Returns whether no execution has the value.
    pub fn is_none(&self) -> bool {
        self.num.is_none() && self.targets.is_empty() && self.flags == Flags::NONE
    }

    /// Returns whether the value may point to an object.
    pub fn has_objects(&self) -> bool {
        !self.targets.is_empty() || self.flags.has(Flags::FREED.with(Flags::ENDED).with(Flags::ANYWHERE))
    }

    /// Returns the integers, if the value points to no object and is initialised.
    pub fn plain(&self) -> Option<Num> {
        if self.has_objects() || self.flags.has(Flags::UNINIT) { None } else { self.num }
    }

    /// Returns the integers that cover the value, whatever it points to.
    pub fn number(&self, width: u32) -> Num {
        if self.has_objects() || self.may_be_uninit() { Num::full(width) } else { self.num.unwrap_or(Num::full(width)) }
    }

    /// Returns whether some bits may be uninitialised.
    pub fn may_be_uninit(&self) -> bool {
        self.flags.has(Flags::UNINIT)
    }

    /// Returns a filter of the objects.
    pub fn filter(&self) -> u64 {
        let text = |target: &Target| if target.text == Text::Unknown { 0 } else { TEXT_FILTER };
        self.targets.iter().fold(0, |all, target| all | filter_of(target.obj.0) | text(target))
    }

    /// Adds a possible object.
    pub fn add_target(&mut self, target: Target, width: u32) {
        match self.targets.binary_search_by_key(&target.obj, |t| t.obj) {
            Ok(at) => {
                let old = &mut self.targets[at];
                old.offset = old.offset.join(target.offset, width);
                old.text = old.text.min(target.text);
            }
            Err(at) => {
                if self.targets.len() >= MAX_TARGETS {
                    self.flags = self.flags.with(Flags::ANYWHERE);
                    self.num = Some(Num::full(width));
                } else {
                    self.targets.insert(at, target);
                }
            }
        }
    }

    /// Covers a pointer whose object is no longer known: unless it is near the object, it may be any number.
    pub fn forget_target(&mut self, target: Target, width: u32, pointer: u32) {
        if !is_near(target.offset, pointer) {
            self.num = Some(Num::full(width));
        }
    }

    /// Joins two values with a function for numbers.
    fn combine(&self, other: &Value, width: u32, pointer: u32, join: impl Fn(Num, Num) -> Num) -> Value {
        let num = match (self.num, other.num) {
            (Some(a), Some(b)) => Some(join(a, b)),
            (a, b) => a.or(b),
        };
        let flags = self.flags.with(other.flags);
        let mut result = Value { num, targets: SmallVec::new(), flags };
        let (mut i, mut j) = (0, 0);
        while i < self.targets.len() || j < other.targets.len() {
            let (a, b) = (self.targets.get(i), other.targets.get(j));
            let target = match (a, b) {
                (Some(a), Some(b)) if a.obj == b.obj => {
                    (i, j) = (i + 1, j + 1);
                    Target { obj: a.obj, offset: join(a.offset, b.offset), text: a.text.min(b.text) }
                }
                (Some(a), b) if b.is_none_or(|b| a.obj < b.obj) => {
                    i += 1;
                    *a
                }
                (_, Some(b)) => {
                    j += 1;
                    *b
                }
                _ => break,
            };
            result.targets.push(target);
        }
        if result.targets.len() > MAX_TARGETS {
            result.flags = result.flags.with(Flags::ANYWHERE);
        }
        if result.flags.has(Flags::ANYWHERE) {
            // Any object includes all of them.
            for target in std::mem::take(&mut result.targets) {
                result.forget_target(target, width, pointer);
            }
        }
        result
    }

    /// Returns a value that covers both. `pointer` is the width of offsets.
    pub fn join(&self, other: &Value, width: u32, pointer: u32) -> Value {
        if self == other {
            return self.clone();
        }
        let mut joined = self.combine(other, width, pointer, |a, b| a.join(b, pointer));
        if let (Some(a), Some(b)) = (self.num, other.num) {
            joined.num = Some(a.join(b, width));
        }
        joined
    }

    /// Widens a value.
    pub fn widen(&self, other: &Value, width: u32, pointer: u32, thresholds: &[u64]) -> Value {
        if self == other {
            return self.clone();
        }
        let mut joined = self.combine(other, width, pointer, |a, b| a.widen(b, pointer, thresholds));
        if let (Some(a), Some(b)) = (self.num, other.num) {
            joined.num = Some(a.widen(b, width, thresholds));
        }
        joined
    }

    /// Returns whether this value covers another one.
    pub fn covers(&self, other: &Value, width: u32, pointer: u32) -> bool {
        if self == other {
            return true;
        }
        let num = match (self.num, other.num) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => a.covers(b, width),
        };
        let is_anywhere = self.flags.has(Flags::ANYWHERE);
        num && self.flags.with(other.flags) == self.flags
            && other.targets.iter().all(|b| {
                is_anywhere
                    || self.targets.binary_search_by_key(&b.obj, |t| t.obj).is_ok_and(|at| {
                        let a = self.targets[at];
                        a.offset.covers(b.offset, pointer) && a.text <= b.text
                    })
            })
    }

    /// Forgets the offsets of all objects and the integers: some bytes of the value may be missing or mixed with others.
    pub fn smear(&self, width: u32, pointer: u32) -> Value {
        let mut value = self.clone();
        // Any mixture of zero bytes and uninitialised ones is zero or uninitialised.
        if !self.has_objects() && self.num.is_none_or(|num| num.value() == Some(0)) {
            return value;
        }
        value.num = Some(Num::full(width));
        for target in &mut value.targets {
            target.offset = Num::full(pointer);
            target.text = Text::Unknown;
        }
        value
    }
}

impl super::map::Entry for Value {
    fn filter(&self) -> u64 {
        Value::filter(self)
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}
