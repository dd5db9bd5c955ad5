//! Rows without a numeric parameter: an implication between guards, which holds or becomes top.

use cairn_smt::{Term, Terms};

use crate::ssa::value::ObjectNumber;
use crate::templates::rows::guard::{self, Guard};
use crate::templates::rows::record::{self, Numbers};
use crate::templates::{At, Model, Names, Row, Schema, Sites};

/// The row `when => then`.
#[derive(Clone, Debug)]
pub struct Clause {
    subjects: Vec<ObjectNumber>,
    when: Vec<Guard>,
    then: Guard,
    given_up: bool,
}

impl Clause {
    /// Creates a clause about objects of the given sites.
    pub fn new(subjects: Vec<ObjectNumber>, when: Vec<Guard>, then: Guard) -> Self {
        Self { subjects, when, then, given_up: false }
    }

    /// Reads a clause.
    pub fn read(numbers: &mut Numbers<'_>) -> Option<Self> {
        let subjects = numbers.subjects()?;
        let (when, then) = (numbers.guards(&subjects)?, numbers.guard(&subjects)?);
        Some(Self::new(subjects, when, then))
    }

    /// Returns whether the row mentions a variable that the loop changes. Other facts are known from before the loop.
    pub fn moves(&self, schema: &Schema) -> bool {
        self.when.iter().chain([&self.then]).any(|guard| !schema.entries[guard.pointer].fixed)
    }
}

impl Row for Clause {
    fn subjects(&self) -> &[ObjectNumber] {
        &self.subjects
    }

    fn describe(&self, schema: &Schema, _: &Names<'_>) -> String {
        format!("{}{}", guard::describe(&self.when, schema), self.then.describe(schema))
    }

    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        if self.given_up {
            return terms.truth();
        }
        let when = guard::all(&self.when, terms, sites, &self.subjects, at);
        match (when, self.then.term(terms, sites, &self.subjects, at)) {
            (Some(when), Some(then)) => {
                let otherwise = terms.not(when);
                terms.or(otherwise, then)
            }
            _ => terms.truth(),
        }
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
        record::write_guards(&self.when, &mut out);
        record::write_guard(&self.then, &mut out);
        (record::CLAUSE, out)
    }
}
