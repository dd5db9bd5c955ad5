//! What a state's conditions say of the values that the program can still read, beyond those that only mention these.
//!
//! A byte that was read and found not to be 0 was not the string's end: `at = end → byte = 0` and `byte ≠ 0` leave `at ≠ end` when
//! nothing holds the byte any more. Joining pairs values that are in reach; what is said by way of others would be lost there.

use cairn_smt::Term;
use cairn_smt::term::{Node, Op};
use rustc_hash::FxHashSet;

use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;

impl Explorer<'_> {
    /// Assumes the parts of conditions that follow and speak of values in reach alone.
    pub(super) fn draw_consequences(&mut self, state: &mut State) {
        let mut in_reach: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, true) {
            in_reach.extend(self.variables_of(value).iter().copied());
        }
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
            if rest != condition && self.terms.as_const(rest).is_none() && state.path.value(&self.terms, rest).is_none() {
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
