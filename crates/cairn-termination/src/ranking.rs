//! The search for ranking functions of a loop.
//!
//! A candidate is a number that is computed from the values at the start of an iteration: a variable, its magnitude, a sum or difference
//! of two without wrapping, or the distance of two unsigned numbers modulo the width, which `i != n` decreases. A ranking function has
//! several components: each is never greater after an iteration that leaves the ones before it as they are, and the last one is less.
//!
//! Any number of bits that decreases has an end. But signed numbers that end there have overflowed, so that a candidate of signed numbers
//! also has to be bounded.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::inst::CompareOp;
use cairn_smt::evaluate::Assignment;
use cairn_smt::{Answer, Session, Term};

use crate::formula::{Formula, Side};
use crate::limits::{COMBINED, COMPONENTS, RANKING_CONFLICTS, RANKING_QUERIES};

/// The width of exact sums and differences of numbers of at most 64 bits.
const EXACT: u32 = 68;

/// The bound of candidates of signed numbers: less than the constants of programs, and far from where numbers of 32 bits overflow.
const LEAST: i128 = -(1 << 24);

/// A number that may decrease.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The number before an iteration.
    before: Term,
    /// The number after an iteration.
    after: Term,
    /// Whether the number is computed from signed numbers.
    is_signed: bool,
}

/// Returns whether a loop was proved to end. `known` are facts about all executions.
pub(crate) fn ends(formula: &mut Formula, known: &[Term], index: usize, interrupt: &Arc<AtomicBool>) -> bool {
    let mut session = Session::new(interrupt.clone());
    session.set_conflict_budget(Some(RANKING_CONFLICTS));
    let mut assumed = known.to_vec();
    assumed.push(formula.loops[index].next.guard);
    let candidates = candidates(formula, index);
    let mut search = Search { session, samples: Vec::new(), queries: 0 };
    for _ in 0..COMPONENTS {
        let Some((chosen, is_last)) = search.component(formula, &assumed, &candidates) else { return false };
        if is_last {
            return true;
        }
        // Only iterations that leave this component as it is remain.
        let equal = formula.terms.eq(chosen.before, chosen.after);
        assumed.push(equal);
        search.samples.retain(|model| formula.terms.evaluate(equal, model) == 1);
    }
    false
}

struct Search {
    session: Session,
    /// Iterations that remain.
    samples: Vec<Assignment>,
    queries: usize,
}

impl Search {
    /// Returns an iteration that fulfils a condition; `Err` if that is undecided.
    fn iteration(&mut self, formula: &Formula, assumed: &[Term], condition: Term) -> Result<Option<Assignment>, ()> {
        self.queries += 1;
        if self.queries > RANKING_QUERIES || self.session.interrupted() {
            return Err(());
        }
        let query: Vec<Term> = assumed.iter().copied().chain([condition]).collect();
        match self.session.check(&formula.terms, &query) {
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(model) => Ok(Some(model)),
            _ => Err(()),
        }
    }

    /// Returns a component, and whether it decreases in all iterations that remain.
    fn component(
        &mut self,
        formula: &mut Formula,
        assumed: &[Term],
        candidates: &[Candidate],
    ) -> Option<(Candidate, bool)> {
        let always = formula.terms.truth();
        match self.iteration(formula, assumed, always) {
            Ok(None) => return Some((Candidate { before: always, after: always, is_signed: false }, true)),
            Ok(Some(model)) => self.samples.push(model),
            Err(()) => return None,
        }
        let mut weak = None;
        let least = formula.terms.constant(LEAST as u128 & (u128::MAX >> (128 - EXACT)), EXACT);
        for &candidate in candidates {
            let Candidate { before, after, is_signed } = candidate;
            let is_bounded = if is_signed { formula.terms.sle(least, before) } else { always };
            let decreases = formula.terms.slt(after, before);
            let decreases = formula.terms.and(decreases, is_bounded);
            let increases = formula.terms.slt(before, after);
            let unbounded = formula.terms.not(is_bounded);
            let increases = formula.terms.or(increases, unbounded);
            let values = |samples: &[Assignment], term| -> Vec<bool> {
                samples.iter().map(|model| formula.terms.evaluate(term, model) == 1).collect()
            };
            let (lower, higher) = (values(&self.samples, decreases), values(&self.samples, increases));
            if higher.contains(&true) || !lower.contains(&true) {
                continue;
            }
            if !lower.contains(&false) {
                let stays = formula.terms.not(decreases);
                match self.iteration(formula, assumed, stays) {
                    Ok(None) => return Some((candidate, true)),
                    Ok(Some(model)) => self.samples.push(model),
                    Err(()) if self.queries > RANKING_QUERIES => return None,
                    Err(()) => continue,
                }
                if self.samples.last().is_some_and(|model| formula.terms.evaluate(increases, model) == 1) {
                    continue;
                }
            }
            if weak.is_none() {
                match self.iteration(formula, assumed, increases) {
                    Ok(None) => weak = Some(candidate),
                    Ok(Some(model)) => self.samples.push(model),
                    Err(()) if self.queries > RANKING_QUERIES => return None,
                    Err(()) => {}
                }
            }
        }
        weak.map(|chosen| (chosen, false))
    }
}

/// Returns the candidates of a loop, the simple ones first.
fn candidates(formula: &mut Formula, index: usize) -> Vec<Candidate> {
    let known = &formula.loops[index];
    let numbers: Vec<usize> = known.variables.iter().copied().filter(|&v| formula.is_number[v]).collect();
    let comparisons = known.comparisons.clone();
    let mut found = Vec::new();
    for &variable in &numbers {
        let is_signed = formula.is_signed[variable];
        let (before, after) = pair(formula, index, |formula, values| extended(formula, values[variable], is_signed));
        found.push(Candidate { before, after, is_signed });
        found.push(negated(formula, Candidate { before, after, is_signed }));
    }
    for (op, a, b) in comparisons {
        for (a, b) in [(a, b), (b, a)] {
            found.extend(distance(formula, index, op, (a, b)));
        }
    }
    for &variable in &numbers {
        let (before, after) = pair(formula, index, |formula, values| magnitude(formula, values[variable]));
        found.push(Candidate { before, after, is_signed: true });
    }
    for (at, &a) in numbers.iter().take(COMBINED).enumerate() {
        for &b in numbers.iter().take(COMBINED).skip(at + 1) {
            let is_signed = [formula.is_signed[a], formula.is_signed[b]];
            let x = pair(formula, index, |formula, values| extended(formula, values[a], is_signed[0]));
            let y = pair(formula, index, |formula, values| extended(formula, values[b], is_signed[1]));
            let is_signed = is_signed.contains(&true);
            let sum = (formula.terms.add(x.0, y.0), formula.terms.add(x.1, y.1));
            let difference = (formula.terms.sub(x.0, y.0), formula.terms.sub(x.1, y.1));
            for (before, after) in [sum, difference] {
                found.push(Candidate { before, after, is_signed });
                found.push(negated(formula, Candidate { before, after, is_signed }));
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|candidate| candidate.before != candidate.after && seen.insert(*candidate));
    found
}

/// Returns a candidate that decreases where another one increases.
fn negated(formula: &mut Formula, of: Candidate) -> Candidate {
    Candidate { before: formula.terms.neg(of.before), after: formula.terms.neg(of.after), ..of }
}

/// Returns the magnitude of a signed number.
fn magnitude(formula: &mut Formula, value: Term) -> Term {
    let value = extended(formula, value, true);
    let zero = formula.terms.constant(0, EXACT);
    let (is_negative, negated) = (formula.terms.slt(value, zero), formula.terms.neg(value));
    formula.terms.ite(is_negative, negated, value)
}

/// Returns the distance of two sides of a comparison, modulo the width for equalities of unsigned numbers, and otherwise exact.
fn distance(formula: &mut Formula, index: usize, op: CompareOp, (a, b): (Side, Side)) -> Option<Candidate> {
    let width = |formula: &Formula, side: Side| match side {
        Side::Value(value) => {
            formula.is_number[value].then(|| formula.terms.width(formula.loops[index].start.values[value]))
        }
        Side::Fixed(term) => Some(formula.terms.width(term)).filter(|&width| width <= 64),
    };
    if width(formula, a)? != width(formula, b)? {
        return None;
    }
    let wraps = |side| matches!(side, Side::Value(value) if !formula.is_signed[value]);
    let is_signed = match op {
        CompareOp::SLt | CompareOp::SLe => true,
        CompareOp::ULt | CompareOp::ULe => false,
        // A signed operand is converted if the other one is unsigned.
        _ => !wraps(a) && !wraps(b),
    };
    let is_modular = !is_signed && matches!(op, CompareOp::Eq | CompareOp::Ne);
    let (before, after) = pair(formula, index, |formula, values| {
        let term = |side| match side {
            Side::Value(value) => values[value],
            Side::Fixed(term) => term,
        };
        let (a, b) = (term(a), term(b));
        if is_modular {
            let distance = formula.terms.sub(a, b);
            return extended(formula, distance, false);
        }
        let (a, b) = (extended(formula, a, is_signed), extended(formula, b, is_signed));
        formula.terms.sub(a, b)
    });
    Some(Candidate { before, after, is_signed })
}

/// Computes a number before and after an iteration.
fn pair(formula: &mut Formula, index: usize, compute: impl Fn(&mut Formula, &[Term]) -> Term) -> (Term, Term) {
    let (before, after) = (formula.loops[index].start.values.clone(), formula.loops[index].next.values.clone());
    (compute(formula, &before), compute(formula, &after))
}

/// Extends a number so that sums and differences do not wrap.
fn extended(formula: &mut Formula, value: Term, is_signed: bool) -> Term {
    if is_signed { formula.terms.sext(value, EXACT) } else { formula.terms.zext(value, EXACT) }
}
