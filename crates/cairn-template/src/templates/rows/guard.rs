//! Guards of rows (FMCAD §IV-B): the target of a pointer, a flag, or the range of a number.
//!
//! A guard says that a pointer is null or points to one of the subjects of the row. The pointer is a variable or a
//! field of a subject. Other statements about pointers are not possible: if two pointers point to the rest of a site,
//! it is unknown whether they are equal. The truth of a guard does not depend on the choice of the other instances.
//! This is why a row that holds for some instances holds for all objects.

use cairn_smt::{Term, Terms};

use crate::ssa::value::{ID_BITS, NOTHING, ObjectNumber};
use crate::templates::{At, Entry, Schema, Sites};

/// The statement of a guard about its variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// The pointer is null.
    Null,
    /// The pointer points to this subject of the row.
    To(usize),
    /// The variable is a flag and set.
    Set,
    /// The variable is a signed number and at most this.
    AtMost(i128),
}

/// A guard: a statement about a variable, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The schema entry.
    pub pointer: usize,
    /// The subject whose field the entry is; 0 for a program variable.
    pub of: usize,
    /// The statement.
    pub leads: Where,
    /// Whether the statement holds; `false` negates it.
    pub does: bool,
}

impl Guard {
    /// Creates the guard that a variable points to the first subject.
    pub fn points(pointer: usize) -> Self {
        Self { pointer, of: 0, leads: Where::To(0), does: true }
    }

    /// Creates the guard that a variable, or a field of the first subject, is null.
    pub fn null(pointer: usize) -> Self {
        Self { pointer, of: 0, leads: Where::Null, does: true }
    }

    /// Creates the guard that a flag of the first subject is set.
    pub fn flag(flag: usize) -> Self {
        Self { pointer: flag, of: 0, leads: Where::Set, does: true }
    }

    /// Creates the guard that a variable, or a number of the first subject, is at most `limit`.
    pub fn at_most(number: usize, limit: i128) -> Self {
        Self { pointer: number, of: 0, leads: Where::AtMost(limit), does: true }
    }

    /// Creates the guard that a field of the first subject points to the second.
    pub fn link(field: usize) -> Self {
        Self { pointer: field, of: 0, leads: Where::To(1), does: true }
    }

    /// Negates the guard.
    pub fn contrary(self) -> Self {
        Self { does: !self.does, ..self }
    }

    /// Changes the target to another subject.
    pub fn to(self, object: usize) -> Self {
        Self { leads: Where::To(object), ..self }
    }

    /// Changes the subject whose field the entry is.
    pub fn from(self, object: usize) -> Self {
        Self { of: object, ..self }
    }

    /// Returns the guard as a formula; `None` if the entry has no value or the subject no instance.
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

    /// Renders the guard.
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

/// Returns the object number of an instance of a site.
pub fn own(sites: &Sites, site: ObjectNumber, instance: u32) -> Option<u32> {
    let numbers = &sites.iter().find(|(known, _)| *known == site)?.1;
    numbers.get(instance as usize).copied()
}

/// The printed names of subjects: the first is any object of its site, the others are its neighbours.
pub const OBJECTS: [&str; 3] = ["o", "o'", "o''"];

/// Returns the printed name of an entry in a row; a field of the first subject keeps the name of its site.
pub fn label(entry: &Entry, of: usize) -> String {
    match (of, &entry.object, entry.label.split_once('^')) {
        (0, ..) | (_, None, _) | (_, _, None) => entry.label.clone(),
        (_, Some(_), Some((_, part))) => {
            let field = part.split_once('.').map_or("", |(_, field)| field);
            format!("{}.{field}", OBJECTS[of])
        }
    }
}

/// Returns the conjunction of guards; `None` if one of them has no formula.
pub fn all(guards: &[Guard], terms: &mut Terms, sites: &Sites, subjects: &[ObjectNumber], at: &At) -> Option<Term> {
    let mut together = terms.truth();
    for guard in guards {
        let term = guard.term(terms, sites, subjects, at)?;
        together = terms.and(together, term);
    }
    Some(together)
}

/// Renders guards as the left side of an implication.
pub fn describe(guards: &[Guard], schema: &Schema) -> String {
    if guards.is_empty() {
        return String::new();
    }
    let texts: Vec<String> = guards.iter().map(|guard| guard.describe(schema)).collect();
    format!("{} => ", texts.join(" && "))
}
