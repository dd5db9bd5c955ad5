//! A row without a number: where some pointers lead somewhere, another one leads somewhere, or does not. Such a row holds or is given
//! up.

use cairn_smt::{Term, Terms};

use super::guard::{self, Guard};
use super::{At, Model, Names, Row, Schema, Sites};
use crate::engines::template::ssa::value::ObjectNumber;

/// `when => then`.
#[derive(Clone, Debug)]
pub struct Clause {
    subjects: Vec<ObjectNumber>,
    when: Vec<Guard>,
    then: Guard,
    given_up: bool,
}

impl Clause {
    /// A clause about objects of these sites.
    pub fn new(subjects: Vec<ObjectNumber>, when: Vec<Guard>, then: Guard) -> Self {
        Self { subjects, when, then, given_up: false }
    }

    /// Whether it is about something that the loop changes. What is not is known from before the loop.
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
}
