//! Elimination of variables that the state no longer holds.
//!
//! An equation replaces such a variable by a term. Without this, every loop of a program leaves its variables behind,
//! and they slow down all later queries. A variable that has only bounds is eliminated by combining its bounds
//! (Fourier and Motzkin). Covering then has no variable left for which it would have to guess a value.

use std::collections::BTreeMap;

use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use crate::Lattice;
use crate::State;
use crate::join::shapes::locals_in;
use crate::limits::{MAX_COMBINED_BOUNDS, MAX_ELIMINATED};
use cairn_exec::path::Path;
/// The order of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Order {
    Unsigned,
    Signed,
}

/// The side on which a bound limits a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BoundSide {
    Lower,
    Upper,
}

/// A term that bounds another.
#[derive(Clone, Copy, Debug)]
struct Bound {
    term: Term,
    /// Whether the two are never equal.
    strict: bool,
}

/// The lower bounds and the upper bounds of a term.
#[derive(Default)]
struct Bounds {
    below: Vec<Bound>,
    above: Vec<Bound>,
}

impl Lattice<'_> {
    /// Replaces unneeded variables by terms that they equal. The conditions on the other variables stay equivalent.
    pub(crate) fn eliminate(&mut self, state: &mut State, needed: &FxHashSet<Term>) {
        // A local variable has one value for each node, so a term that equals it cannot replace another variable.
        let locals = locals_in(&state.memory);
        let mut conditions = state.path.conditions();
        conditions.reverse();
        let mut changed = false;
        for _ in 0..MAX_ELIMINATED {
            let solved = conditions.iter().rev().find_map(|&condition| self.solved(condition, needed, &locals));
            let Some((variable, value)) = solved else { break };
            // The model gives both sides of the equation the same value, so it still satisfies the other conditions.
            let mut instead = Substitution::new([(variable, value)]);
            for condition in &mut conditions {
                *condition = instead.apply(&mut self.machine.terms, *condition);
            }
            conditions.retain(|&condition| !self.machine.terms.is_true(condition));
            changed = true;
        }
        if changed {
            state.path = Path::with(&self.machine.terms, conditions, state.path.model().clone());
        }
    }

    /// Solves a condition for an unneeded variable; returns the variable and the term that it equals.
    fn solved(&mut self, condition: Term, needed: &FxHashSet<Term>, locals: &FxHashSet<Term>) -> Option<(Term, Term)> {
        let Node::Binary(Op::Eq, a, b) = *self.machine.terms.node(condition) else { return None };
        let variables = self.machine.terms.variables_of(condition);
        if variables.iter().all(|v| needed.contains(v)) || variables.iter().any(|v| locals.contains(v)) {
            return None;
        }
        let zero = self.machine.terms.sub(a, b);
        let width = self.machine.terms.width(zero);
        let monomials = match self.machine.terms.node(zero) {
            Node::Sum(sum) => sum.monomials.clone(),
            Node::Var(_) => [(zero, 1)].into_iter().collect(),
            _ => return None,
        };
        for (variable, factor) in monomials {
            let alone = matches!(self.machine.terms.node(variable), Node::Var(_)) && !needed.contains(&variable);
            if !alone || (factor != 1 && factor != mask(width)) {
                continue;
            }
            // The rest is the sum without the variable. Its sign is chosen so that it equals the variable.
            let part = self.machine.terms.scale(variable, factor);
            let rest = self.machine.terms.sub(zero, part);
            // A sum would be less precise than a variable, because bounds of sums are not looked up.
            if self.machine.terms.variables_of(rest).len() > 1
                || self.machine.terms.variables_of(rest).contains(&variable)
            {
                continue;
            }
            let value = if factor == 1 { self.machine.terms.scale(rest, mask(width)) } else { rest };
            return Some((variable, value));
        }
        None
    }

    /// Eliminates variables that occur only in bounds, of themselves or of sums with them.
    ///
    /// Every lower bound is then at most every upper bound. Disequalities and conditions on single bits of such a
    /// variable are dropped.
    pub(crate) fn project(&mut self, conditions: &mut Vec<Term>, used: &FxHashSet<Term>) {
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
            for (&(_, order), bounds) in &mut bounds {
                self.keep_closest(&mut bounds.below, order, BoundSide::Lower);
                self.keep_closest(&mut bounds.above, order, BoundSide::Upper);
            }
            if bounds.values().map(|bounds: &Bounds| bounds.below.len() * bounds.above.len()).sum::<usize>()
                > MAX_COMBINED_BOUNDS
            {
                continue;
            }
            for ((_, order), Bounds { below, above }) in bounds {
                for low in &below {
                    for high in &above {
                        // `low < high` if one of the bounds is strict, and the negation of `high < low` otherwise.
                        let strict = low.strict || high.strict;
                        let (a, b) = if strict { (low.term, high.term) } else { (high.term, low.term) };
                        let less = match order {
                            Order::Signed => self.machine.terms.slt(a, b),
                            Order::Unsigned => self.machine.terms.ult(a, b),
                        };
                        let condition = if strict { less } else { self.machine.terms.not(less) };
                        if self.machine.terms.as_const(condition).is_none() && !rest.contains(&condition) {
                            rest.push(condition);
                        }
                    }
                }
            }
            *conditions = rest;
        }
    }

    /// Keeps only the closest of the constant bounds.
    fn keep_closest(&self, bounds: &mut Vec<Bound>, order: Order, side: BoundSide) {
        // The least or greatest number that satisfies the bound.
        let reach = |&Bound { term, strict }: &Bound| {
            let (bits, width) = (self.machine.terms.as_const(term)?, self.machine.terms.width(term));
            let number = match order {
                Order::Signed => signed(bits, width),
                Order::Unsigned => i128::try_from(bits).ok()?,
            };
            number.checked_add(match side {
                BoundSide::Upper => -i128::from(strict),
                BoundSide::Lower => i128::from(strict),
            })
        };
        let numbers = bounds.iter().filter_map(reach);
        let closest = match side {
            BoundSide::Upper => numbers.min(),
            BoundSide::Lower => numbers.max(),
        };
        let Some(closest) = closest else { return };
        let mut kept = false;
        bounds.retain(|bound| match reach(bound) {
            Some(number) => number == closest && !std::mem::replace(&mut kept, true),
            None => true,
        });
    }

    /// Adds the bounds that a condition gives for a variable, by the bounded term and by signedness.
    ///
    /// Returns false if the condition is no bound and must not be dropped.
    fn add_bounds(&mut self, condition: Term, variable: Term, bounds: &mut BTreeMap<(Term, Order), Bounds>) -> bool {
        let (inner, positive) = match *self.machine.terms.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let mut add = |term: Term, order: Order, side: BoundSide, bound: Bound| {
            let bounds = bounds.entry((term, order)).or_default();
            match side {
                BoundSide::Upper => bounds.above.push(bound),
                BoundSide::Lower => bounds.below.push(bound),
            }
        };
        let about = |term: Term| self.machine.terms.variables_of(term).contains(&variable);
        match *self.machine.terms.node(inner) {
            Node::Binary(op @ (Op::SLt | Op::ULt), a, b) if about(a) != about(b) => {
                let is_left = about(a);
                let (term, other) = if is_left { (a, b) } else { (b, a) };
                let order = if op == Op::SLt { Order::Signed } else { Order::Unsigned };
                let side = if is_left == positive { BoundSide::Upper } else { BoundSide::Lower };
                add(term, order, side, Bound { term: other, strict: positive });
                // An unsigned value below a non-negative constant is also non-negative and below that constant as a
                // signed value.
                let width = self.machine.terms.width(a);
                let small = self.machine.terms.as_const(b).is_some_and(|bits| bits <= mask(width) >> 1);
                if op == Op::ULt && is_left && positive && small {
                    let zero = self.machine.terms.constant(0, width);
                    add(term, Order::Signed, BoundSide::Upper, Bound { term: other, strict: true });
                    add(term, Order::Signed, BoundSide::Lower, Bound { term: zero, strict: false });
                }
                true
            }
            // The sign bit is a comparison with zero.
            Node::Extract(term, low) if low + 1 == self.machine.terms.width(term) => {
                let zero = self.machine.terms.constant(0, low + 1);
                let side = if positive { BoundSide::Upper } else { BoundSide::Lower };
                add(term, Order::Signed, side, Bound { term: zero, strict: positive });
                true
            }
            Node::Binary(Op::Eq, a, b) if !positive => about(a) != about(b),
            Node::Binary(Op::Eq, a, _) => self.machine.terms.width(a) < 8,
            // Conditions on bits, and on sums of bits.
            Node::Extract(..) | Node::Sum(_) => true,
            _ => false,
        }
    }
}
