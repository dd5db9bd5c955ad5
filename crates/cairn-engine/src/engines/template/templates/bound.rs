//! A row that bounds a sum of variables from above: what intervals, zones and octagons are made of. Sums are computed wide enough
//! not to wrap, so a bound says something of the numbers and not of their bits.

use std::fmt::Write as _;

use cairn_smt::term::signed;
use cairn_smt::{Term, Terms};

use super::guard::{self, Guard};
use super::{At, Model, Names, Row, Schema, Sites};
use crate::engines::template::ssa::value::ObjectNumber;

/// The parameter of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Nothing comes here.
    Bottom,
    /// The sum is at most this.
    AtMost(i128),
    /// Nothing is said.
    Top,
}

/// A variable of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summand {
    /// Whether it is added; otherwise it is subtracted.
    pub plus: bool,
    /// The variable.
    pub entry: usize,
    /// The object whose field it is, by place among those that the row is about; 0 for a variable.
    pub of: usize,
}

/// `guards => Σ ± variable ≤ limit`.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The variables, each added or subtracted.
    pub sum: Vec<Summand>,
    /// Whether the variables are signed numbers.
    pub signed: bool,
    /// The sites that it is about objects of.
    subjects: Vec<ObjectNumber>,
    /// Bits of the variables.
    width: u32,
    /// The parameter.
    pub limit: Limit,
    /// How often the parameter grew.
    pub grown: u32,
    /// What it depends on.
    guards: Vec<Guard>,
    /// Whether it takes over what it is shown and is given up soon; otherwise the synthesis raises it.
    by_itself: bool,
}

/// How often a bound that grows by itself does so before it is given up.
const MAX_GROWTH: u32 = 3;

/// How far it grows at once without being given up.
const MAX_STEP: i128 = 8;

impl Bound {
    /// A bound that nothing has come to.
    pub fn new(schema: &Schema, sum: &[(bool, usize)], signed: bool) -> Self {
        let subjects = sum.iter().find_map(|&(_, entry)| schema.entries[entry].object).into_iter().collect();
        let width = sum.first().map_or(1, |&(_, entry)| schema.entries[entry].width);
        let sum = sum.iter().map(|&(plus, entry)| Summand { plus, entry, of: 0 }).collect();
        Self { sum, signed, subjects, width, limit: Limit::Bottom, grown: 0, guards: Vec::new(), by_itself: false }
    }

    /// The same where some guards hold.
    pub fn guarded(mut self, guards: Vec<Guard>) -> Self {
        self.guards = guards;
        self
    }

    /// The difference of a field of two objects, of these sites.
    pub fn between(schema: &Schema, subjects: Vec<ObjectNumber>, (first, second): (usize, usize), plus: bool) -> Self {
        let sum = vec![Summand { plus, entry: first, of: 0 }, Summand { plus: !plus, entry: second, of: 1 }];
        let width = schema.entries[first].width;
        let (limit, grown, guards, by_itself) = (Limit::Bottom, 0, Vec::new(), false);
        Self { sum, signed: true, subjects, width, limit, grown, guards, by_itself }
    }

    /// The same, growing by itself: it costs no questions, and says something only where that settles soon, as relations do.
    pub fn by_itself(mut self) -> Self {
        self.by_itself = true;
        self
    }

    /// Whether it is about variables only, wherever pointers lead.
    pub fn is_plain(&self) -> bool {
        self.guards.is_empty() && self.subjects.is_empty()
    }

    /// Whether it is about something that the loop changes. What is not is known from before the loop.
    pub fn moves(&self, schema: &Schema) -> bool {
        let guards = self.guards.iter().map(|guard| guard.pointer);
        self.sum.iter().map(|summand| summand.entry).chain(guards).any(|entry| !schema.entries[entry].fixed)
    }

    /// The sum, in two bits more than its variables have.
    fn expression(&self, terms: &mut Terms, at: &At) -> Option<Term> {
        let wide = self.width + 2;
        let mut total = terms.constant(0, wide);
        for summand in &self.sum {
            let value = at.value(summand.of, summand.entry)?;
            let bits = terms.resize(value.bits, wide, self.signed);
            total = if summand.plus { terms.add(total, bits) } else { terms.sub(total, bits) };
        }
        Some(total)
    }

    fn range(&self) -> (i128, i128) {
        match (self.signed, self.width) {
            (true, width) => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            (false, width) => (0, (1i128 << width) - 1),
        }
    }

    /// The greatest value that the sum can have.
    pub fn greatest(&self) -> i128 {
        let (least, most) = self.range();
        self.sum.iter().map(|summand| if summand.plus { most } else { -least }).sum()
    }

    /// The least value that the sum can have.
    pub fn least(&self) -> i128 {
        let (least, most) = self.range();
        self.sum.iter().map(|summand| if summand.plus { least } else { -most }).sum()
    }

    /// That the sum is at most a number.
    pub fn at_most(&self, terms: &mut Terms, sites: &Sites, at: &At, limit: i128) -> Term {
        match self.expression(terms, at) {
            Some(sum) => {
                let limit = terms.constant(limit as u128, self.width + 2);
                let inside = terms.sle(sum, limit);
                let elsewhere = self.elsewhere(terms, sites, at);
                terms.or(elsewhere, inside)
            }
            None => terms.truth(),
        }
    }

    /// Whether some guard does not hold.
    fn elsewhere(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        match guard::all(&self.guards, terms, sites, &self.subjects, at) {
            Some(here) => terms.not(here),
            None => terms.truth(),
        }
    }

    /// Sets the limit; one that every value obeys is none.
    pub fn set(&mut self, limit: i128) {
        self.limit = if limit >= self.greatest() { Limit::Top } else { Limit::AtMost(limit) };
    }
}

impl Row for Bound {
    fn subjects(&self) -> &[ObjectNumber] {
        &self.subjects
    }

    fn describe(&self, schema: &Schema, _: &Names<'_>) -> String {
        let mut text = guard::describe(&self.guards, schema);
        for (index, summand) in self.sum.iter().enumerate() {
            let sign = match (summand.plus, index) {
                (true, 0) => "",
                (true, _) => " + ",
                (false, 0) => "-",
                (false, _) => " - ",
            };
            let _ = write!(text, "{sign}{}", guard::label(&schema.entries[summand.entry], summand.of));
        }
        match self.limit {
            Limit::Bottom => text.push_str(" never"),
            Limit::AtMost(limit) => {
                let _ = write!(text, " <= {limit}");
            }
            Limit::Top => text.push_str(" is anything"),
        }
        if !self.signed && self.limit != Limit::Top {
            text.push_str(" (unsigned)");
        }
        text
    }

    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        match self.limit {
            Limit::Bottom => self.elsewhere(terms, sites, at),
            Limit::AtMost(limit) => self.at_most(terms, sites, at, limit),
            Limit::Top => terms.truth(),
        }
    }

    fn join(&mut self, model: &mut Model<'_>, terms: &mut Terms, _: &Sites, at: &At) {
        let mut total = 0i128;
        for summand in &self.sum {
            let Some(of) = at.value(summand.of, summand.entry) else { return };
            let bits = model.value(terms, of.bits);
            let number = if self.signed { signed(bits, self.width) } else { bits as i128 };
            total += if summand.plus { number } else { -number };
        }
        let limit = match self.limit {
            Limit::AtMost(known) => known.max(total),
            Limit::Bottom => total,
            Limit::Top => return,
        };
        let far = matches!(self.limit, Limit::AtMost(known) if limit - known > MAX_STEP);
        self.set(limit);
        if self.by_itself {
            self.grown += 1;
            if self.grown > MAX_GROWTH || far {
                self.limit = Limit::Top;
            }
        }
    }

    fn is_top(&self) -> bool {
        self.limit == Limit::Top
    }

    fn give_up(&mut self) {
        self.limit = Limit::Top;
    }

    fn as_bound(&mut self) -> Option<&mut Bound> {
        if self.by_itself { None } else { Some(self) }
    }
}
