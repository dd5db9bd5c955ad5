//! What rows depend on (FMCAD §IV-B): where a pointer leads, or in which range a number is. A guard says of a pointer, a variable or a
//! field of one of the objects that the row is about, that it is null, or that it points to one of these objects.
//!
//! Nothing else can be said of pointers: whether two of them are equal is not known where both lead to the rest of a site. A guard
//! tells the same whichever other objects are instances, which is why a row that holds for some instances holds for all objects.

use cairn_smt::{Term, Terms};

use super::{At, Entry, Schema, Sites};
use crate::engines::template::ssa::value::{ID_BITS, NOTHING, ObjectNumber};

/// What is said of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// It is null.
    Null,
    /// It points to one of the objects that the row is about, by place among them.
    To(usize),
    /// It is no pointer but a flag, and set.
    Set,
    /// It is no pointer but a signed number, and at most this.
    AtMost(i128),
}

/// That a pointer leads somewhere, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The pointer.
    pub pointer: usize,
    /// The object whose field it is, by place among those that the row is about; 0 for a variable.
    pub of: usize,
    /// Where it leads.
    pub leads: Where,
    /// Whether it does.
    pub does: bool,
}

impl Guard {
    /// That a variable points to the first object.
    pub fn points(pointer: usize) -> Self {
        Self { pointer, of: 0, leads: Where::To(0), does: true }
    }

    /// That a variable, or a field of the first object, is null.
    pub fn null(pointer: usize) -> Self {
        Self { pointer, of: 0, leads: Where::Null, does: true }
    }

    /// That a flag of the first object is set.
    pub fn flag(flag: usize) -> Self {
        Self { pointer: flag, of: 0, leads: Where::Set, does: true }
    }

    /// That a number, of the first object or a variable, is at most another.
    pub fn at_most(number: usize, limit: i128) -> Self {
        Self { pointer: number, of: 0, leads: Where::AtMost(limit), does: true }
    }

    /// That a field of the first object points to the second.
    pub fn link(field: usize) -> Self {
        Self { pointer: field, of: 0, leads: Where::To(1), does: true }
    }

    /// The contrary.
    pub fn contrary(self) -> Self {
        Self { does: !self.does, ..self }
    }

    /// The same of another object that the row is about.
    pub fn to(self, object: usize) -> Self {
        Self { leads: Where::To(object), ..self }
    }

    /// The same of a field of another object.
    pub fn from(self, object: usize) -> Self {
        Self { of: object, ..self }
    }

    /// The formula; `None` where there is no such pointer.
    pub fn term(&self, terms: &mut Terms, sites: &Sites, subjects: &[ObjectNumber], at: &At) -> Option<Term> {
        let value = at.value(self.of, self.pointer)?.clone();
        let there = match self.leads {
            Where::Set => {
                let zero = terms.constant(0, terms.width(value.bits));
                terms.ne(value.bits, zero)
            }
            Where::AtMost(limit) => {
                let width = terms.width(value.bits);
                let (least, most) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
                if limit < least {
                    terms.falsity()
                } else {
                    let limit = terms.constant(limit.min(most) as u128, width);
                    terms.sle(value.bits, limit)
                }
            }
            Where::Null => {
                let id = value.pointee(terms).id;
                let (nothing, zero) =
                    (terms.constant(u128::from(NOTHING), ID_BITS), terms.constant(0, terms.width(value.bits)));
                let (plain, zero) = (terms.eq(id, nothing), terms.eq(value.bits, zero));
                terms.and(plain, zero)
            }
            Where::To(object) => {
                let id = value.pointee(terms).id;
                let number = own(sites, *subjects.get(object)?, at.instance(object)?)?;
                let number = terms.constant(u128::from(number), ID_BITS);
                terms.eq(id, number)
            }
        };
        Some(if self.does { there } else { terms.not(there) })
    }

    /// What it says, for people.
    pub fn describe(&self, schema: &Schema) -> String {
        let pointer = label(&schema.entries[self.pointer], self.of);
        match (self.leads, self.does) {
            (Where::Null, true) => format!("{pointer} = null"),
            (Where::Null, false) => format!("{pointer} != null"),
            (Where::Set, true) => pointer,
            (Where::Set, false) => format!("!{pointer}"),
            (Where::AtMost(limit), true) => format!("{pointer} <= {limit}"),
            (Where::AtMost(limit), false) => format!("{pointer} > {limit}"),
            (Where::To(object), true) => format!("{pointer} = &{}", OBJECTS[object]),
            (Where::To(object), false) => format!("{pointer} != &{}", OBJECTS[object]),
        }
    }
}

/// The number of an instance of a site.
pub fn own(sites: &Sites, site: ObjectNumber, instance: u32) -> Option<u32> {
    let numbers = &sites.iter().find(|(known, _)| *known == site)?.1;
    numbers.get(instance as usize).copied()
}

/// What the objects that a row is about are called: the first is any object of its site, the others are its neighbours.
pub const OBJECTS: [&str; 3] = ["o", "o'", "o''"];

/// What a variable is called in a row: a field of the first object has the name of its site.
pub fn label(entry: &Entry, of: usize) -> String {
    match (of, &entry.object, entry.label.split_once('^')) {
        (0, ..) | (_, None, _) | (_, _, None) => entry.label.clone(),
        (_, Some(_), Some((_, part))) => {
            let field = part.split_once('.').map_or("", |(_, field)| field);
            format!("{}.{field}", OBJECTS[of])
        }
    }
}

/// All of some guards; `None` where one cannot be said.
pub fn all(guards: &[Guard], terms: &mut Terms, sites: &Sites, subjects: &[ObjectNumber], at: &At) -> Option<Term> {
    let mut together = terms.truth();
    for guard in guards {
        let term = guard.term(terms, sites, subjects, at)?;
        together = terms.and(together, term);
    }
    Some(together)
}

/// What some guards say, as the left side of an implication.
pub fn describe(guards: &[Guard], schema: &Schema) -> String {
    if guards.is_empty() {
        return String::new();
    }
    let texts: Vec<String> = guards.iter().map(|guard| guard.describe(schema)).collect();
    format!("{} => ", texts.join(" && "))
}
