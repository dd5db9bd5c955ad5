//! Values that a function preserves, for its summary.
//!
//! A row says that a part of an object holds the value from before the call, always or unless a parameter points to
//! that object, or that a returned or stored pointer equals an input. Loops need no such rows: the encoding shares the
//! variables that they do not change.

use std::collections::BTreeSet;

use cairn_smt::{Term, Terms};

use crate::limits::MAX_KEPT_ROWS;
use crate::ssa::knowledge::{Name, Part};
use crate::ssa::value::{ID_BITS, ObjectNumber, Value};
use crate::templates::rows::guard::{self, Guard};
use crate::templates::rows::record::{self, Numbers};
use crate::templates::{At, Hints, Model, Names, Row, Schema, Sites, Template};

/// The template of preserved values.
#[derive(Clone, Copy, Debug)]
pub struct Kept;

/// The row `existed && guards => new = old`.
///
/// Two pointers to objects that are not subjects cannot be compared. A row about pointers therefore has one more
/// subject, which both pointers point to or neither does. The other objects of a site are identified with each other.
#[derive(Clone, Debug)]
pub struct KeptRow {
    subjects: Vec<ObjectNumber>,
    guards: Vec<Guard>,
    /// The flag that the object existed before the call: a new object has no old value.
    existed: Option<usize>,
    new: usize,
    old: usize,
    given_up: bool,
}

impl KeptRow {
    /// Reads a row.
    pub fn read(numbers: &mut Numbers<'_>) -> Option<Self> {
        let subjects = numbers.subjects()?;
        let guards = numbers.guards(&subjects)?;
        let existed = if numbers.truth()? { Some(numbers.entry(&subjects, 0)?) } else { None };
        let (new, old) = (numbers.entry(&subjects, 0)?, numbers.entry(&subjects, 0)?);
        let fits = numbers.width(new) == numbers.width(old) && existed.is_none_or(|flag| numbers.width(flag) == 1);
        fits.then_some(Self { subjects, guards, existed, new, old, given_up: false })
    }

    fn same(&self, terms: &mut Terms, sites: &Sites, at: &At, new: &Value, old: &Value) -> Term {
        let bits = terms.eq(new.bits, old.bits);
        if new.object.is_none() && old.object.is_none() {
            return bits;
        }
        let number = |(place, &site): (usize, &ObjectNumber)| guard::own(sites, site, at.instance(place)?);
        let looked_at: Vec<u32> = self.subjects.iter().enumerate().filter_map(number).collect();
        let mut kinds = [new, old].map(|value| value.pointee(terms).id);
        for id in &mut kinds {
            for (_, numbers) in sites {
                let Some(&rest) = numbers.last() else { continue };
                let others = numbers.iter().filter(|number| !looked_at.contains(number));
                let mut other = terms.falsity();
                for &number in others {
                    let number = terms.constant(u128::from(number), ID_BITS);
                    let is = terms.eq(*id, number);
                    other = terms.or(other, is);
                }
                let rest = terms.constant(u128::from(rest), ID_BITS);
                *id = terms.ite(other, rest, *id);
            }
        }
        let objects = terms.eq(kinds[0], kinds[1]);
        terms.and(bits, objects)
    }
}

impl Row for KeptRow {
    fn subjects(&self) -> &[ObjectNumber] {
        &self.subjects
    }

    fn describe(&self, schema: &Schema, _: &Names<'_>) -> String {
        let label = |entry: usize| &schema.entries[entry].label;
        let guards: Vec<Guard> = self.existed.map(Guard::flag).into_iter().chain(self.guards.iter().copied()).collect();
        format!("{}{} = {}", guard::describe(&guards, schema), label(self.new), label(self.old))
    }

    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        let guards = guard::all(&self.guards, terms, sites, &self.subjects, at);
        let (Some(guards), Some(new), Some(old), false) =
            (guards, at.value(0, self.new), at.value(0, self.old), self.given_up)
        else {
            return terms.truth();
        };
        let existed = self.existed.and_then(|entry| at.value(0, entry)).map(|value| value.bits);
        let (new, old) = (new.clone(), old.clone());
        let same = self.same(terms, sites, at, &new, &old);
        let here = match existed {
            Some(existed) => terms.and(guards, existed),
            None => guards,
        };
        let elsewhere = terms.not(here);
        terms.or(elsewhere, same)
    }

    fn join(&mut self, _: &mut Model<'_>, _: &mut Terms, _: &Sites, _: &At) {
        self.given_up = true;
    }

    fn is_top(&self) -> bool {
        self.given_up
    }

    fn give_up(&mut self) {
        self.given_up = true;
    }

    fn record(&self) -> (u8, Vec<i128>) {
        let mut out = Vec::new();
        record::write_subjects(&self.subjects, &mut out);
        record::write_guards(&self.guards, &mut out);
        out.push(i128::from(self.existed.is_some()));
        out.extend(self.existed.map(|entry| entry as i128));
        out.extend([self.new as i128, self.old as i128]);
        (record::KEPT, out)
    }
}

impl Template for Kept {
    fn name(&self) -> &'static str {
        "kept"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let sites: BTreeSet<ObjectNumber> = entries().filter_map(|(_, entry)| entry.object).collect();
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        let pointers = || entries().filter(|(_, entry)| entry.fixed && entry.is_pointer_variable());
        for (new, entry) in entries().filter(|(_, entry)| !entry.fixed) {
            let mut kept = |old: usize, existed: Option<usize>, guards: Vec<Guard>| {
                let mut add = |more: Option<ObjectNumber>| {
                    let (subjects, guards) = (entry.object.into_iter().chain(more).collect(), guards.clone());
                    rows.push(Box::new(KeptRow { subjects, guards, existed, new, old, given_up: false }));
                };
                if entry.pointer && !sites.is_empty() {
                    sites.iter().for_each(|&site| add(Some(site)));
                } else {
                    add(None);
                }
            };
            if let Name::Part(object, part) = entry.name {
                let before = |part: Part| entries().find(|(_, e)| e.name == Name::Old(object, part)).map(|(i, _)| i);
                let Some(old) = before(part) else { continue };
                let existed = entry.object.and_then(|_| before(Part::Allocated));
                if entry.object.is_some() && existed.is_none() {
                    continue;
                }
                kept(old, existed, Vec::new());
                if entry.object.is_some() {
                    for (pointer, _) in pointers() {
                        kept(old, existed, vec![Guard::points(pointer).contrary()]);
                    }
                }
            }
            // A returned or stored pointer that equals an input.
            if entry.object.is_none() && entry.pointer {
                for (old, _) in pointers().filter(|(_, other)| other.width == entry.width) {
                    kept(old, None, Vec::new());
                }
            }
        }
        rows.truncate(MAX_KEPT_ROWS);
        rows
    }
}
