//! Rows that bound a sum of variables from above, the basis of intervals, zones and octagons.
//!
//! Sums are computed without overflow, so a bound constrains the mathematical value and not its bits.

use std::fmt::Write as _;

use cairn_smt::term::signed;
use cairn_smt::{Term, Terms};

use crate::limits::{MAX_GROWTH, MAX_STEP, MAX_WIDTH};
use crate::ssa::value::ObjectNumber;
use crate::templates::rows::guard::{self, Guard};
use crate::templates::rows::record::{self, Numbers};
use crate::templates::{At, Model, Names, Row, Schema, Sites};

/// The parameter of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// No value reaches the row.
    Bottom,
    /// The sum is at most this number.
    AtMost(i128),
    /// The sum is unconstrained.
    Top,
}

/// The sign of a variable in a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The variable is added.
    Plus,
    /// The variable is subtracted.
    Minus,
}

impl Sign {
    /// Both signs, for an upper and a lower bound.
    pub const BOTH: [Self; 2] = [Self::Plus, Self::Minus];

    /// Returns the other sign.
    pub const fn flipped(self) -> Self {
        match self {
            Self::Plus => Self::Minus,
            Self::Minus => Self::Plus,
        }
    }
}

/// The interpretation of the bits of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signedness {
    /// Two's complement.
    Signed,
    /// A natural number.
    Unsigned,
}

impl Signedness {
    /// Both interpretations.
    pub const BOTH: [Self; 2] = [Self::Signed, Self::Unsigned];

    /// Returns the signed interpretation if `signed` holds.
    pub const fn of(signed: bool) -> Self {
        if signed { Self::Signed } else { Self::Unsigned }
    }
}

/// A variable of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summand {
    /// Whether the variable is added or subtracted.
    pub sign: Sign,
    /// The schema entry.
    pub entry: usize,
    /// The subject whose field the variable is; 0 for a program variable.
    pub of: usize,
}

/// The row `guards => Σ ± variable ≤ limit`.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The variables, each added or subtracted.
    pub sum: Vec<Summand>,
    /// The interpretation of the variables.
    pub signedness: Signedness,
    /// The sites of the subjects.
    subjects: Vec<ObjectNumber>,
    /// The width of the variables in bits.
    width: u32,
    /// The parameter.
    pub limit: Limit,
    /// How often the parameter grew.
    pub grown: u32,
    /// The guards.
    guards: Vec<Guard>,
    /// Whether [`Row::join`] alone sets the parameter; otherwise the synthesis raises it by bisection.
    by_itself: bool,
}

impl Bound {
    /// Creates a bound at bottom.
    pub fn new(schema: &Schema, sum: &[(Sign, usize)], signedness: Signedness) -> Self {
        let subjects = sum.iter().find_map(|&(_, entry)| schema.entries[entry].object).into_iter().collect();
        let width = sum.first().map_or(1, |&(_, entry)| schema.entries[entry].width);
        let sum = sum.iter().map(|&(sign, entry)| Summand { sign, entry, of: 0 }).collect();
        Self { sum, signedness, subjects, width, limit: Limit::Bottom, grown: 0, guards: Vec::new(), by_itself: false }
    }

    /// Adds guards.
    pub fn guarded(mut self, guards: Vec<Guard>) -> Self {
        self.guards = guards;
        self
    }

    /// Creates a bound of the difference between a field of one subject and a field of another.
    pub fn between(schema: &Schema, subjects: Vec<ObjectNumber>, (first, second): (usize, usize), sign: Sign) -> Self {
        let sum = vec![Summand { sign, entry: first, of: 0 }, Summand { sign: sign.flipped(), entry: second, of: 1 }];
        let width = schema.entries[first].width;
        let (limit, grown, guards, by_itself) = (Limit::Bottom, 0, Vec::new(), false);
        Self { sum, signedness: Signedness::Signed, subjects, width, limit, grown, guards, by_itself }
    }

    /// Lets the bound grow by joins only.
    ///
    /// Such a bound needs no queries of its own. It is informative only if it stabilises soon, which is typical of
    /// relations.
    pub fn by_itself(mut self) -> Self {
        self.by_itself = true;
        self
    }

    /// Reads a bound.
    pub fn read(numbers: &mut Numbers<'_>) -> Option<Self> {
        let subjects = numbers.subjects()?;
        let guards = numbers.guards(&subjects)?;
        let sum = numbers.list(|numbers| {
            let sign = if numbers.truth()? { Sign::Plus } else { Sign::Minus };
            let of: usize = numbers.natural()?;
            Some(Summand { sign, entry: numbers.entry(&subjects, of)?, of })
        })?;
        let signedness = Signedness::of(numbers.truth()?);
        let limit = match numbers.number()? {
            0 => Limit::Bottom,
            1 => Limit::AtMost(numbers.number()?),
            2 => Limit::Top,
            _ => return None,
        };
        // Two more bits hold the sum of two variables.
        let width = numbers.width(sum.first()?.entry);
        let fits = sum.len() <= 2 && width <= MAX_WIDTH && sum.iter().all(|one| numbers.width(one.entry) == width);
        fits.then_some(Self { sum, signedness, subjects, width, limit, grown: 0, guards, by_itself: true })
    }

    /// Returns whether the bound has no guards and no subjects.
    pub fn is_plain(&self) -> bool {
        self.guards.is_empty() && self.subjects.is_empty()
    }

    /// Returns whether the row mentions a variable that the loop changes. Other facts are known from before the loop.
    pub fn moves(&self, schema: &Schema) -> bool {
        let guards = self.guards.iter().map(|guard| guard.pointer);
        self.sum.iter().map(|summand| summand.entry).chain(guards).any(|entry| !schema.entries[entry].fixed)
    }

    /// Returns the sum, in two more bits than the variables have so that it cannot overflow.
    fn expression(&self, terms: &mut Terms, at: &At) -> Option<Term> {
        let wide = self.width + 2;
        let mut total = terms.constant(0, wide);
        for summand in &self.sum {
            let value = at.value(summand.of, summand.entry)?;
            let bits = terms.resize(value.bits, wide, self.signedness == Signedness::Signed);
            total = match summand.sign {
                Sign::Plus => terms.add(total, bits),
                Sign::Minus => terms.sub(total, bits),
            };
        }
        Some(total)
    }

    fn range(&self) -> (i128, i128) {
        match (self.signedness, self.width) {
            (Signedness::Signed, width) => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            (Signedness::Unsigned, width) => (0, (1i128 << width) - 1),
        }
    }

    /// Returns the greatest value of the sum.
    pub fn greatest(&self) -> i128 {
        let (least, most) = self.range();
        self.sum.iter().map(|summand| if summand.sign == Sign::Plus { most } else { -least }).sum()
    }

    /// Returns the least value of the sum.
    pub fn least(&self) -> i128 {
        let (least, most) = self.range();
        self.sum.iter().map(|summand| if summand.sign == Sign::Plus { least } else { -most }).sum()
    }

    /// Returns that the sum is at most `limit` where the guards hold.
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

    /// Returns that some guard fails.
    fn elsewhere(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        match guard::all(&self.guards, terms, sites, &self.subjects, at) {
            Some(here) => terms.not(here),
            None => terms.truth(),
        }
    }

    /// Sets the limit; a limit that every value satisfies is top.
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
            let sign = match (summand.sign, index) {
                (Sign::Plus, 0) => "",
                (Sign::Plus, _) => " + ",
                (Sign::Minus, 0) => "-",
                (Sign::Minus, _) => " - ",
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
        if self.signedness == Signedness::Unsigned && self.limit != Limit::Top {
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
            let number = match self.signedness {
                Signedness::Signed => signed(bits, self.width),
                Signedness::Unsigned => bits as i128,
            };
            total += if summand.sign == Sign::Plus { number } else { -number };
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

    fn record(&self) -> (u8, Vec<i128>) {
        let mut out = Vec::new();
        record::write_subjects(&self.subjects, &mut out);
        record::write_guards(&self.guards, &mut out);
        out.push(self.sum.len() as i128);
        for summand in &self.sum {
            out.extend([i128::from(summand.sign == Sign::Plus), summand.of as i128, summand.entry as i128]);
        }
        out.push(i128::from(self.signedness == Signedness::Signed));
        match self.limit {
            Limit::Bottom => out.push(0),
            Limit::AtMost(limit) => out.extend([1, limit]),
            Limit::Top => out.push(2),
        }
        (record::BOUND, out)
    }

    fn as_bound(&mut self) -> Option<&mut Bound> {
        if self.by_itself { None } else { Some(self) }
    }
}
