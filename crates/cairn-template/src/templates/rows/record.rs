//! Rows as numbers, for certificates.
//!
//! A row that was read may be any formula of its form, except that it must treat the objects of a site alike: the invariant is checked
//! for one choice of subjects and assumed for all.

use crate::limits::MAX_WIDTH;
use crate::ssa::value::ObjectNumber;
use crate::templates::heap::points_to::PointsToRow;
use crate::templates::rows::bound::Bound;
use crate::templates::rows::clause::Clause;
use crate::templates::rows::guard::{Guard, Where};
use crate::templates::summary::kept::KeptRow;
use crate::templates::{Row, Schema, Sites};

/// The forms of rows, by their numbers.
pub const BOUND: u8 = 0;
/// See [`Clause`].
pub const CLAUSE: u8 = 1;
/// See [`PointsToRow`].
pub const POINTS_TO: u8 = 2;
/// See [`KeptRow`].
pub const KEPT: u8 = 3;

/// Returns the row with these numbers; `None` if there is none.
pub fn read(form: u8, numbers: &[i128], schema: &Schema, sites: &Sites) -> Option<Box<dyn Row>> {
    let mut numbers = Numbers { rest: numbers, schema, sites };
    let row: Box<dyn Row> = match form {
        BOUND => Box::new(Bound::read(&mut numbers)?),
        CLAUSE => Box::new(Clause::read(&mut numbers)?),
        POINTS_TO => Box::new(PointsToRow::read(&mut numbers)?),
        KEPT => Box::new(KeptRow::read(&mut numbers)?),
        _ => return None,
    };
    numbers.rest.is_empty().then_some(row)
}

/// The numbers that are still to be read.
pub struct Numbers<'r> {
    rest: &'r [i128],
    schema: &'r Schema,
    sites: &'r Sites,
}

impl Numbers<'_> {
    /// Reads a number.
    pub fn number(&mut self) -> Option<i128> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Reads a number that is not negative.
    pub fn natural<N: TryFrom<i128>>(&mut self) -> Option<N> {
        N::try_from(self.number()?).ok()
    }

    /// Reads a truth value.
    pub fn truth(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads a list.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len: usize = self.natural()?;
        (len <= self.rest.len()).then_some(())?;
        (0..len).map(|_| item(self)).collect()
    }

    /// Reads the sites of subjects.
    pub fn subjects(&mut self) -> Option<Vec<ObjectNumber>> {
        self.list(|numbers| Some(ObjectNumber(numbers.natural()?)))
    }

    /// Reads a variable of the location. A part of an object is one of the given subject.
    pub fn entry(&mut self, subjects: &[ObjectNumber], of: usize) -> Option<usize> {
        let number: usize = self.natural()?;
        let entry = self.schema.entries.get(number)?;
        let fits = match entry.object {
            Some(site) => subjects.get(of) == Some(&site),
            None => of == 0 || of < subjects.len(),
        };
        fits.then_some(number)
    }

    /// Returns the width of a variable.
    pub fn width(&self, entry: usize) -> u32 {
        self.schema.entries[entry].width
    }

    /// Returns whether a number stands for one object only, unlike those of the objects of a site.
    pub fn is_single(&self, number: u32) -> bool {
        !self.sites.iter().any(|(_, numbers)| numbers.contains(&number))
    }

    /// Reads guards.
    pub fn guards(&mut self, subjects: &[ObjectNumber]) -> Option<Vec<Guard>> {
        self.list(|numbers| numbers.guard(subjects))
    }

    /// Reads a guard.
    pub fn guard(&mut self, subjects: &[ObjectNumber]) -> Option<Guard> {
        let of: usize = self.natural()?;
        let pointer = self.entry(subjects, of)?;
        let (kind, argument, does) = (self.number()?, self.number()?, self.truth()?);
        let leads = match kind {
            0 => Where::Null,
            1 => Where::To(usize::try_from(argument).ok().filter(|&subject| subject < subjects.len())?),
            2 => Where::Set,
            3 if self.width(pointer) <= MAX_WIDTH => Where::AtMost(argument),
            _ => return None,
        };
        Some(Guard { pointer, of, leads, does })
    }
}

/// Writes guards.
pub fn write_guards(guards: &[Guard], out: &mut Vec<i128>) {
    out.push(guards.len() as i128);
    guards.iter().for_each(|guard| write_guard(guard, out));
}

/// Writes a guard.
pub fn write_guard(guard: &Guard, out: &mut Vec<i128>) {
    let (kind, argument) = match guard.leads {
        Where::Null => (0, 0),
        Where::To(subject) => (1, subject as i128),
        Where::Set => (2, 0),
        Where::AtMost(limit) => (3, limit),
    };
    out.extend([guard.of as i128, guard.pointer as i128, kind, argument, i128::from(guard.does)]);
}

/// Writes the sites of subjects.
pub fn write_subjects(subjects: &[ObjectNumber], out: &mut Vec<i128>) {
    out.push(subjects.len() as i128);
    out.extend(subjects.iter().map(|site| i128::from(site.0)));
}
