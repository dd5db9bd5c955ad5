//! Consequences of a path condition for the values that the program can still read.
//!
//! Joining pairs only reachable values. A fact that follows by way of an unreachable value would be lost, so it is
//! derived before:
//!
//! - A byte that is not 0 is not the end of a string: `at = end → byte = 0` and `byte ≠ 0` give `at ≠ end`.
//! - A counter has reached its limit after the loop: `i ≤ n` and `n ≤ i` give `i = n`.
//! - The capacity of a buffer bounds its size: `n ≤ room` and `size = 4·room` give `4·n ≤ size`.

use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::limits::MAX_SIZE_BOUNDS;
impl Lattice<'_> {
    /// Adds consequences of the path condition that mention only reachable values.
    pub(crate) fn add_consequences(&mut self, state: &mut State) {
        let mut in_reach: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, true) {
            in_reach.extend(self.variables_of(value).iter().copied());
        }
        self.replace_determined(state, &in_reach);
        self.derive_size_bounds(state, &in_reach);
        self.assume_reachable_parts(state, &in_reach);
    }

    /// Replaces unreachable variables by reachable terms that they are equal to.
    fn replace_determined(&mut self, state: &mut State, in_reach: &FxHashSet<Term>) {
        let mut known = FxHashMap::default();
        let mut candidates = Vec::new();
        for condition in state.path.conditions() {
            let Node::Not(inner) = *self.machine.terms.node(condition) else { continue };
            // The condition is `limit ≤ variable`.
            let Node::Binary(Op::SLt | Op::ULt, variable, limit) = *self.machine.terms.node(inner) else { continue };
            let lost = matches!(self.machine.terms.node(variable), Node::Var(_)) && !in_reach.contains(&variable);
            if !lost || self.variables_of(limit).contains(&variable) {
                continue;
            }
            let mut value = |term| self.machine.terms.evaluate_with(term, state.path.model(), &mut known);
            if value(variable) == value(limit) {
                candidates.push((variable, limit));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let equal: Vec<Term> =
            candidates.iter().map(|&(variable, limit)| self.machine.terms.eq(variable, limit)).collect();
        let holds = self.implied(state, &equal);
        let mut replaced: FxHashMap<Term, Term> = FxHashMap::default();
        for ((variable, limit), _) in candidates.into_iter().zip(holds).filter(|&(_, holds)| holds) {
            let used = |variable: &Term| replaced.values().any(|&by| self.variables_of(by).contains(variable));
            if !self.variables_of(limit).iter().any(|v| replaced.contains_key(v)) && !used(&variable) {
                replaced.entry(variable).or_insert(limit);
            }
        }
        if replaced.is_empty() {
            return;
        }
        let mut map = Substitution::new(replaced);
        if let Some((path, true)) = state.path.substitute(&mut self.machine.terms, &mut map) {
            state.path = path;
        }
    }

    /// Derives bounds on sizes that an unreachable variable determines from the bounds of that variable.
    fn derive_size_bounds(&mut self, state: &mut State, in_reach: &FxHashSet<Term>) {
        let mut sizes: FxHashSet<Term> = FxHashSet::default();
        for (_, object) in state.memory.iter().filter(|(_, object)| !object.pattern) {
            sizes.extend(self.variables_of(object.size).iter().copied());
        }
        if sizes.is_empty() {
            return;
        }
        let conditions = state.path.conditions();
        let mut found = Vec::new();
        for &condition in &conditions {
            let Some((variable, part, rest)) = self.determined_by(condition, in_reach) else { continue };
            if !self.variables_of(rest).iter().all(|v| sizes.contains(v)) {
                continue;
            }
            for &bound in &conditions {
                let Some(limit) = self.limit_of(bound, variable, in_reach) else { continue };
                let mut instead = Substitution::new([(variable, limit)]);
                let part = instead.apply(&mut self.machine.terms, part);
                for (a, b) in [(part, rest), (rest, part)] {
                    found.push(self.machine.terms.sle(a, b));
                    found.push(self.machine.terms.ule(a, b));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(MAX_SIZE_BOUNDS);
        self.assume_implied(state, &found);
    }

    /// Solves an equation for its only unreachable variable; returns the variable and the two sides.
    fn determined_by(&mut self, condition: Term, in_reach: &FxHashSet<Term>) -> Option<(Term, Term, Term)> {
        let Node::Binary(Op::Eq, a, b) = *self.machine.terms.node(condition) else { return None };
        let zero = self.machine.terms.sub(a, b);
        let width = self.machine.terms.width(zero);
        let Node::Sum(sum) = self.machine.terms.node(zero) else { return None };
        let mut own = None;
        for (part, factor) in sum.monomials.clone() {
            let lost: Vec<Term> = self.variables_of(part).iter().copied().filter(|v| !in_reach.contains(v)).collect();
            match (&lost[..], own) {
                ([], _) => {}
                ([variable], None) => own = Some((*variable, part, factor)),
                _ => return None,
            }
        }
        let (variable, part, factor) = own?;
        let part = self.machine.terms.scale(part, factor);
        let rest = self.machine.terms.sub(part, zero);
        if signed(factor, width) > 0 {
            return Some((variable, part, rest));
        }
        let (part, rest) = (self.machine.terms.scale(part, mask(width)), self.machine.terms.scale(rest, mask(width)));
        Some((variable, part, rest))
    }

    /// Returns the reachable upper or lower bound that a condition gives for a variable.
    fn limit_of(&mut self, condition: Term, variable: Term, in_reach: &FxHashSet<Term>) -> Option<Term> {
        let (inner, strict) = match *self.machine.terms.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let Node::Binary(Op::SLt | Op::ULt, a, b) = *self.machine.terms.node(inner) else { return None };
        let (limit, beyond) = match (a == variable, b == variable) {
            (true, false) => (b, mask(self.machine.terms.width(b))),
            (false, true) => (a, 1),
            _ => return None,
        };
        if !self.variables_of(limit).iter().all(|v| in_reach.contains(v)) {
            return None;
        }
        let beyond = self.machine.terms.constant(if strict { beyond } else { 0 }, self.machine.terms.width(limit));
        Some(self.machine.terms.add(limit, beyond))
    }

    /// Assumes the disjuncts of conditions that mention only reachable values, where these alone follow.
    fn assume_reachable_parts(&mut self, state: &mut State, in_reach: &FxHashSet<Term>) {
        let mut found = Vec::new();
        for condition in state.path.conditions() {
            let Node::Not(inner) = *self.machine.terms.node(condition) else { continue };
            let mut parts = Vec::new();
            self.conjuncts(inner, &mut parts);
            if parts.len() < 2 {
                continue;
            }
            let mut together = self.machine.terms.truth();
            for &part in &parts {
                if self.variables_of(part).iter().all(|v| in_reach.contains(v)) {
                    together = self.machine.terms.and(together, part);
                }
            }
            let rest = self.machine.terms.not(together);
            if rest != condition
                && self.machine.terms.as_const(rest).is_none()
                && state.path.value(&self.machine.terms, rest).is_none()
            {
                found.push(rest);
            }
        }
        found.sort_unstable();
        found.dedup();
        self.assume_implied(state, &found);
    }

    fn assume_implied(&mut self, state: &mut State, conditions: &[Term]) {
        if conditions.is_empty() {
            return;
        }
        let holds = self.implied(state, conditions);
        for (&condition, _) in conditions.iter().zip(holds).filter(|&(_, holds)| holds) {
            if self.machine.terms.as_const(condition).is_none() {
                state.path.assume(&self.machine.terms, condition, None);
            }
        }
    }

    /// Collects the parts of a conjunction.
    fn conjuncts(&self, term: Term, parts: &mut Vec<Term>) {
        match *self.machine.terms.node(term) {
            Node::Binary(Op::And, a, b) if self.machine.terms.width(term) == 1 => {
                self.conjuncts(a, parts);
                self.conjuncts(b, parts);
            }
            _ => parts.push(term),
        }
    }
}
