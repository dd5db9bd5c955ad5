//! What a state's conditions say of the values that the program can still read, beyond those that only mention these.
//!
//! A byte that was read and found not to be 0 was not the string's end: `at = end → byte = 0` and `byte ≠ 0` leave `at ≠ end` when
//! nothing holds the byte any more. And a counter that a loop left behind is what it counted to: `i ≤ n` and `n ≤ i`. What a buffer
//! has room for bounds its size, also when only the size is left: `n ≤ room` and `size = 4·room`. Joining pairs values that are in
//! reach; what is said by way of others would be lost there.

use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;

/// Bounds that are passed on at once.
const MOST_BOUNDS: usize = 24;

impl Explorer<'_> {
    /// Says what the conditions say by way of values that are not in reach without these, as far as it is found.
    pub(super) fn draw_consequences(&mut self, state: &mut State) {
        let mut in_reach: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, true) {
            in_reach.extend(self.variables_of(value).iter().copied());
        }
        self.replace_determined(state, &in_reach);
        self.pass_bounds_on(state, &in_reach);
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

    /// Says of sizes that a variable determines which is not in reach what the variable's bounds say of them.
    fn pass_bounds_on(&mut self, state: &mut State, in_reach: &FxHashSet<Term>) {
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
                let part = instead.apply(&mut self.terms, part);
                for (a, b) in [(part, rest), (rest, part)] {
                    found.push(self.terms.sle(a, b));
                    found.push(self.terms.ule(a, b));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(MOST_BOUNDS);
        self.assume_those_that_follow(state, &found);
    }

    /// For an equation of one variable that is not in reach with others that are: the variable, and the two sides.
    fn determined_by(&mut self, condition: Term, in_reach: &FxHashSet<Term>) -> Option<(Term, Term, Term)> {
        let Node::Binary(Op::Eq, a, b) = *self.terms.node(condition) else { return None };
        let zero = self.terms.sub(a, b);
        let width = self.terms.width(zero);
        let Node::Sum(sum) = self.terms.node(zero) else { return None };
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
        let part = self.terms.scale(part, factor);
        let rest = self.terms.sub(part, zero);
        if signed(factor, width) > 0 {
            return Some((variable, part, rest));
        }
        let (part, rest) = (self.terms.scale(part, mask(width)), self.terms.scale(rest, mask(width)));
        Some((variable, part, rest))
    }

    /// What a condition says a variable does not exceed, or is not less than, when that is in reach.
    fn limit_of(&mut self, condition: Term, variable: Term, in_reach: &FxHashSet<Term>) -> Option<Term> {
        let (inner, strict) = match *self.terms.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let Node::Binary(Op::SLt | Op::ULt, a, b) = *self.terms.node(inner) else { return None };
        let (limit, beyond) = match (a == variable, b == variable) {
            (true, false) => (b, mask(self.terms.width(b))),
            (false, true) => (a, 1),
            _ => return None,
        };
        if !self.variables_of(limit).iter().all(|v| in_reach.contains(v)) {
            return None;
        }
        let beyond = self.terms.constant(if strict { beyond } else { 0 }, self.terms.width(limit));
        Some(self.terms.add(limit, beyond))
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
        found.sort_unstable();
        found.dedup();
        self.assume_those_that_follow(state, &found);
    }

    fn assume_those_that_follow(&mut self, state: &mut State, conditions: &[Term]) {
        if conditions.is_empty() {
            return;
        }
        let holds = self.those_that_follow(state, conditions);
        for (&condition, _) in conditions.iter().zip(holds).filter(|&(_, holds)| holds) {
            if self.terms.as_const(condition).is_none() {
                state.path.assume(&self.terms, condition, None);
            }
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
