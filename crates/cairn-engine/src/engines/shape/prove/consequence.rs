//! What a state's conditions say of the values that the program can still read, beyond those that only mention these.
//!
//! A byte that was read and found not to be 0 was not the string's end: `at = end → byte = 0` and `byte ≠ 0` leave `at ≠ end` when
//! nothing holds the byte any more. And a counter that a loop left behind is what it counted to: `i ≤ n` and `n ≤ i`. Joining
//! pairs values that are in reach; what is said by way of others would be lost there.

use cairn_smt::term::{Node, Op};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;

impl Explorer<'_> {
    /// Says what the conditions say by way of values that are not in reach without these, as far as it is found.
    pub(super) fn draw_consequences(&mut self, state: &mut State) {
        let mut in_reach: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, true) {
            in_reach.extend(self.variables_of(value).iter().copied());
        }
        self.replace_determined(state, &in_reach);
        self.assume_parts(state, &in_reach);
    }

    /// Replaces variables that are not in reach by what they are equal to.
    fn replace_determined(&mut self, state: &mut State, in_reach: &FxHashSet<Term>) {
        let mut known = FxHashMap::default();
        let mut candidates = Vec::new();
        for condition in state.path.conditions() {
            let Node::Not(inner) = *self.terms.node(condition) else { continue };
            // `limit ≤ variable`.
            let Node::Binary(Op::SLt | Op::ULt, variable, limit) = *self.terms.node(inner) else { continue };
            let lost = matches!(self.terms.node(variable), Node::Var(_)) && !in_reach.contains(&variable);
            if !lost || self.variables_of(limit).contains(&variable) {
                continue;
            }
            let mut value = |term| self.terms.evaluate_with(term, state.path.model(), &mut known);
            if value(variable) == value(limit) {
                candidates.push((variable, limit));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let equal: Vec<Term> = candidates.iter().map(|&(variable, limit)| self.terms.eq(variable, limit)).collect();
        let holds = self.those_that_follow(state, &equal);
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
        if let Some((path, true)) = state.path.substitute(&mut self.terms, &mut map) {
            state.path = path;
        }
    }

    /// Assumes the parts of conditions that follow and speak of values in reach alone.
    fn assume_parts(&mut self, state: &mut State, in_reach: &FxHashSet<Term>) {
        let mut found = Vec::new();
        for condition in state.path.conditions() {
            let Node::Not(inner) = *self.terms.node(condition) else { continue };
            let mut parts = Vec::new();
            self.conjuncts(inner, &mut parts);
            if parts.len() < 2 {
                continue;
            }
            let mut together = self.terms.truth();
            for &part in &parts {
                if self.variables_of(part).iter().all(|v| in_reach.contains(v)) {
                    together = self.terms.and(together, part);
                }
            }
            let rest = self.terms.not(together);
            if rest != condition && self.terms.as_const(rest).is_none() && state.path.value(&self.terms, rest).is_none()
            {
                found.push(rest);
            }
        }
        if found.is_empty() {
            return;
        }
        found.sort_unstable();
        found.dedup();
        let holds = self.those_that_follow(state, &found);
        for (condition, _) in found.into_iter().zip(holds).filter(|&(_, holds)| holds) {
            state.path.assume(&self.terms, condition, None);
        }
    }

    /// The parts of a conjunction.
    fn conjuncts(&self, term: Term, parts: &mut Vec<Term>) {
        match *self.terms.node(term) {
            Node::Binary(Op::And, a, b) if self.terms.width(term) == 1 => {
                self.conjuncts(a, parts);
                self.conjuncts(b, parts);
            }
            _ => parts.push(term),
        }
    }
}
