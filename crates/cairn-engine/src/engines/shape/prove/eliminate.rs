//! Variables that nothing holds any more leave the path where an equation says what they are. Without this each loop of a program
//! leaves its own behind, and every later question drags them all along.
//!
//! Where there are only bounds, what they say of each other stays (Fourier, Motzkin): so a state has no variable left that covering
//! would have to guess a value for.

use std::collections::BTreeMap;

use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use super::shapes::locals_in;
use crate::engines::shape::Explorer;
use crate::engines::shape::path::Path;
use crate::engines::shape::state::State;

/// Variables that are taken out of one path at once.
const MOST: usize = 200;

/// Bounds that may take the place of those of one variable.
const MOST_BOUNDS: usize = 24;

/// Terms that are not greater than another one, and such that are not less, each with whether it is never the same.
#[derive(Default)]
struct Bounds {
    below: Vec<(Term, bool)>,
    above: Vec<(Term, bool)>,
}

impl Explorer<'_> {
    /// Replaces variables that are not needed by what they equal. The path says the same of the others as before.
    pub(super) fn eliminate(&mut self, state: &mut State, needed: &FxHashSet<Term>) {
        // A local variable has many values: what equals one is no name for another.
        let locals = locals_in(&state.memory);
        let mut conditions = state.path.conditions();
        conditions.reverse();
        let mut changed = false;
        for _ in 0..MOST {
            let solved = conditions.iter().rev().find_map(|&condition| self.solved(condition, needed, &locals));
            let Some((variable, value)) = solved else { break };
            // The model gives both sides of an equation the same value, so it satisfies what comes of the others.
            let mut instead = Substitution::new([(variable, value)]);
            for condition in &mut conditions {
                *condition = instead.apply(&mut self.terms, *condition);
            }
            conditions.retain(|&condition| !self.terms.is_true(condition));
            changed = true;
        }
        if changed {
            state.path = Path::with(&self.terms, conditions, state.path.model().clone());
        }
    }

    /// A variable that is not needed, and what it equals, when a condition is an equation of both.
    fn solved(&mut self, condition: Term, needed: &FxHashSet<Term>, locals: &FxHashSet<Term>) -> Option<(Term, Term)> {
        let Node::Binary(Op::Eq, a, b) = *self.terms.node(condition) else { return None };
        let variables = self.terms.variables_of(condition);
        if variables.iter().all(|v| needed.contains(v)) || variables.iter().any(|v| locals.contains(v)) {
            return None;
        }
        let zero = self.terms.sub(a, b);
        let width = self.terms.width(zero);
        let monomials = match self.terms.node(zero) {
            Node::Sum(sum) => sum.monomials.clone(),
            Node::Var(_) => [(zero, 1)].into_iter().collect(),
            _ => return None,
        };
        for (variable, factor) in monomials {
            let alone = matches!(self.terms.node(variable), Node::Var(_)) && !needed.contains(&variable);
            if !alone || (factor != 1 && factor != mask(width)) {
                continue;
            }
            // The sum without the variable, and with the sign that leaves the variable on the other side.
            let part = self.terms.scale(variable, factor);
            let rest = self.terms.sub(zero, part);
            // A sum in its place would say less than a name: bounds of sums are not looked for.
            if self.terms.variables_of(rest).len() > 1 || self.terms.variables_of(rest).contains(&variable) {
                continue;
            }
            let value = if factor == 1 { self.terms.scale(rest, mask(width)) } else { rest };
            return Some((variable, value));
        }
        None
    }

    /// Takes variables out of conditions that only bound them, or sums with them: what is below one is below what is above it.
    /// That such a variable is not one number or another, and what some of its bits are, is forgotten.
    pub(super) fn project(&mut self, conditions: &mut Vec<Term>, used: &FxHashSet<Term>) {
        let mut lost: Vec<Term> = Vec::new();
        for &condition in conditions.iter() {
            lost.extend(self.variables_of(condition).iter().filter(|&v| !used.contains(v)));
        }
        lost.sort_unstable();
        lost.dedup();
        for variable in lost {
            let (about, mut rest): (Vec<Term>, Vec<Term>) =
                conditions.iter().partition(|&&condition| self.variables_of(condition).contains(&variable));
            let mut bounds = BTreeMap::new();
            if !about.iter().all(|&condition| self.add_bounds(condition, variable, &mut bounds)) {
                continue;
            }
            for (&(_, with_sign), bounds) in &mut bounds {
                self.keep_closest(&mut bounds.below, with_sign, false);
                self.keep_closest(&mut bounds.above, with_sign, true);
            }
            if bounds.values().map(|bounds: &Bounds| bounds.below.len() * bounds.above.len()).sum::<usize>()
                > MOST_BOUNDS
            {
                continue;
            }
            for ((_, with_sign), Bounds { below, above }) in bounds {
                for &(low, low_strict) in &below {
                    for &(high, high_strict) in &above {
                        // `low < high`, or the contrary of `high < low`.
                        let strict = low_strict || high_strict;
                        let (a, b) = if strict { (low, high) } else { (high, low) };
                        let order = if with_sign { self.terms.slt(a, b) } else { self.terms.ult(a, b) };
                        let order = if strict { order } else { self.terms.not(order) };
                        if self.terms.as_const(order).is_none() && !rest.contains(&order) {
                            rest.push(order);
                        }
                    }
                }
            }
            *conditions = rest;
        }
    }

    /// Of bounds that are numbers only the closest says anything.
    fn keep_closest(&self, bounds: &mut Vec<(Term, bool)>, with_sign: bool, is_above: bool) {
        // The first number that is not beyond it.
        let reach = |&(term, strict): &(Term, bool)| {
            let (bits, width) = (self.terms.as_const(term)?, self.terms.width(term));
            let number = if with_sign { signed(bits, width) } else { i128::try_from(bits).ok()? };
            number.checked_add(if is_above { -i128::from(strict) } else { i128::from(strict) })
        };
        let numbers = bounds.iter().filter_map(reach);
        let Some(closest) = (if is_above { numbers.min() } else { numbers.max() }) else { return };
        let mut kept = false;
        bounds.retain(|bound| match reach(bound) {
            Some(number) => number == closest && !std::mem::replace(&mut kept, true),
            None => true,
        });
    }

    /// Adds what a condition says of a variable to the bounds of the term that it is in, by that term and by whether numbers are
    /// compared with their sign. False, where a condition says more.
    fn add_bounds(&mut self, condition: Term, variable: Term, bounds: &mut BTreeMap<(Term, bool), Bounds>) -> bool {
        let (inner, positive) = match *self.terms.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let mut add = |term: Term, with_sign: bool, is_above: bool, bound: (Term, bool)| {
            let bounds = bounds.entry((term, with_sign)).or_default();
            if is_above { bounds.above.push(bound) } else { bounds.below.push(bound) }
        };
        let about = |term: Term| self.terms.variables_of(term).contains(&variable);
        match *self.terms.node(inner) {
            Node::Binary(op @ (Op::SLt | Op::ULt), a, b) if about(a) != about(b) => {
                let is_left = about(a);
                let (term, other) = if is_left { (a, b) } else { (b, a) };
                add(term, op == Op::SLt, is_left == positive, (other, positive));
                // Less than a number that is not negative, without a sign as with one.
                let width = self.terms.width(a);
                let small = self.terms.as_const(b).is_some_and(|bits| bits <= mask(width) >> 1);
                if op == Op::ULt && is_left && positive && small {
                    let zero = self.terms.constant(0, width);
                    add(term, true, true, (other, true));
                    add(term, true, false, (zero, false));
                }
                true
            }
            // The sign.
            Node::Extract(term, low) if low + 1 == self.terms.width(term) => {
                let zero = self.terms.constant(0, low + 1);
                add(term, true, positive, (zero, positive));
                true
            }
            Node::Binary(Op::Eq, a, b) if !positive => about(a) != about(b),
            Node::Binary(Op::Eq, a, _) => self.terms.width(a) < 8,
            // What bits are, and what the sum of bits is.
            Node::Extract(..) | Node::Sum(_) => true,
            _ => false,
        }
    }
}
