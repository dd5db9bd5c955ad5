//! A row that bounds a sum of variables from above: what intervals, zones and octagons are made of. Sums are computed wide enough
//! not to wrap, so a bound says something of the numbers and not of their bits.

use std::fmt::Write as _;

use cairn_smt::evaluate::Assignment;
use cairn_smt::term::signed;
use cairn_smt::{Term, Terms};

use super::{At, Names, Row, Schema, Sites, own};
use crate::engines::template::ssa::value::{ID_BITS, ObjectNumber};

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

/// `Σ ± variable ≤ limit`, perhaps only where a pointer points to the object that is looked at.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The variables, each added or subtracted.
    pub sum: Vec<(bool, usize)>,
    /// Whether the variables are signed numbers.
    pub signed: bool,
    /// The site that one of them belongs to an object of.
    pub object: Option<ObjectNumber>,
    /// Bits of the variables.
    pub width: u32,
    /// The parameter.
    pub limit: Limit,
    /// How often the parameter grew.
    pub grown: u32,
    /// The pointer that has to point to the object that is looked at.
    pub pointed_by: Option<usize>,
}

impl Bound {
    /// A bound that nothing has come to.
    pub fn new(schema: &Schema, sum: Vec<(bool, usize)>, signed: bool) -> Self {
        let object = sum.iter().find_map(|&(_, entry)| schema.entries[entry].object);
        let width = sum.first().map_or(1, |&(_, entry)| schema.entries[entry].width);
        Self { sum, signed, object, width, limit: Limit::Bottom, grown: 0, pointed_by: None }
    }

    /// The sum, in two bits more than its variables have.
    pub fn expression(&self, terms: &mut Terms, at: &At) -> Option<Term> {
        let wide = self.width + 2;
        let mut total = terms.constant(0, wide);
        for &(plus, entry) in &self.sum {
            let value = at.values[entry].as_ref()?;
            let bits = terms.resize(value.bits, wide, self.signed);
            total = if plus { terms.add(total, bits) } else { terms.sub(total, bits) };
        }
        Some(total)
    }

    /// The greatest value that the sum can have.
    pub fn greatest(&self) -> i128 {
        let (least, most) = match (self.signed, self.width) {
            (true, width) => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            (false, width) => (0, (1i128 << width) - 1),
        };
        self.sum.iter().map(|&(plus, _)| if plus { most } else { -least }).sum()
    }

    /// The least value that the sum can have.
    pub fn least(&self) -> i128 {
        let (least, most) = match (self.signed, self.width) {
            (true, width) => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            (false, width) => (0, (1i128 << width) - 1),
        };
        self.sum.iter().map(|&(plus, _)| if plus { least } else { -most }).sum()
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

    /// Whether the pointer that the row depends on points elsewhere.
    fn elsewhere(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        let Some(pointer) = self.pointed_by else { return terms.falsity() };
        let (Some(value), Some(own)) = (at.values[pointer].clone(), own(self.object, sites, at)) else {
            return terms.truth();
        };
        let id = value.pointee(terms).id;
        let own = terms.constant(u128::from(own), ID_BITS);
        let there = terms.eq(id, own);
        terms.not(there)
    }

    /// Sets the limit; one that every value obeys is none.
    pub fn set(&mut self, limit: i128) {
        self.limit = if limit >= self.greatest() { Limit::Top } else { Limit::AtMost(limit) };
    }
}

impl Row for Bound {
    fn subject(&self) -> Option<ObjectNumber> {
        self.object
    }

    fn describe(&self, schema: &Schema, _: &Names<'_>) -> String {
        let mut text = match self.pointed_by {
            Some(pointer) => format!("{} points to it => ", schema.entries[pointer].label),
            None => String::new(),
        };
        for (index, &(plus, entry)) in self.sum.iter().enumerate() {
            let sign = match (plus, index) {
                (true, 0) => "",
                (true, _) => " + ",
                (false, 0) => "-",
                (false, _) => " - ",
            };
            let _ = write!(text, "{sign}{}", schema.entries[entry].label);
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

    fn join(&mut self, model: &Assignment, terms: &mut Terms, _: &Sites, at: &At) {
        let mut total = 0i128;
        for &(plus, entry) in &self.sum {
            let Some(of) = &at.values[entry] else { return };
            let bits = terms.evaluate(of.bits, model);
            let number = if self.signed { signed(bits, self.width) } else { bits as i128 };
            total += if plus { number } else { -number };
        }
        let limit = match self.limit {
            Limit::AtMost(known) => known.max(total),
            Limit::Bottom => total,
            Limit::Top => return,
        };
        self.set(limit);
    }

    fn is_top(&self) -> bool {
        self.limit == Limit::Top
    }

    fn give_up(&mut self) {
        self.limit = Limit::Top;
    }

    fn as_bound(&mut self) -> Option<&mut Bound> {
        Some(self)
    }
}
