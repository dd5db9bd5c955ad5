//! Nodes of several kinds: whether a node owns something depends on what else it holds.
//!
//! An object that is there or not is a segment whose length is 0 or 1, so a flag that tells the two kinds of nodes apart is a number
//! that depends on a length. When a node of the one kind and one of the other become one, each number that differs may be such a flag:
//! that is guessed, and what the nodes at hand do not refute stays. The same holds of lists that are empty or not.

use cairn_smt::term::Node;
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pair::{Pairing, Purpose};
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;

/// Numbers that may tell whether something is there.
const MOST_FLAGS: usize = 16;

/// What is known of one number in one of two states.
struct Known {
    value: Option<u128>,
    least: u128,
    most: u128,
}

impl Known {
    fn is_never(&self, value: u128) -> bool {
        value < self.least || value > self.most
    }
}

impl Explorer<'_> {
    /// Whether two nodes of one state are of different kinds: one owns something where the other has nothing.
    pub(super) fn are_alternatives(&mut self, pairing: &Pairing<'_>) -> bool {
        let lengths = lengths(pairing);
        let empty = |state: &State, length: Term| state.path.value(&self.terms, length) == Some(0);
        pairing
            .numbers
            .iter()
            .any(|&(result, x, y)| lengths.contains(&result) && empty(pairing.new, x) != empty(pairing.old, y))
    }

    /// Guesses which numbers tell whether a list has nodes.
    pub(super) fn guess_alternatives(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        let lengths = lengths(pairing);
        let known = |explorer: &Self, state: &State, term: Term| {
            let facts = state.path.facts(&explorer.terms, term);
            Known { value: state.path.value(&explorer.terms, term), least: facts.min, most: facts.max }
        };
        for &(length, x, y) in pairing.numbers.iter().filter(|number| lengths.contains(&number.0)) {
            let (new, old) = (known(self, pairing.new, x), known(self, pairing.old, y));
            let new_is_empty = match (new.value, old.value) {
                (Some(0), _) => true,
                (_, Some(0)) => false,
                _ => continue,
            };
            let zero = self.terms.constant(0, self.pointer_bits);
            let empty = self.terms.eq(length, zero);
            let (state, other) = if new_is_empty { (pairing.old, y) } else { (pairing.new, x) };
            let full = self.terms.ne(other, zero);
            let certain = self.follows(state, full);
            let flags = pairing.numbers.iter().filter(|number| number.0 != length && !lengths.contains(&number.0));
            for &(flag, x, y) in flags.take(MOST_FLAGS) {
                let (mut there, mut absent) = (known(self, pairing.new, x), known(self, pairing.old, y));
                if new_is_empty {
                    std::mem::swap(&mut there, &mut absent);
                }
                if certain {
                    self.guess_flag(empty, flag, (&absent, &there), guesses);
                } else {
                    self.guess_range(empty, flag, (&absent, &there), guesses);
                }
            }
        }
    }

    /// Guesses what a number is where there is nothing, and what it is where there is something.
    fn guess_flag(&mut self, empty: Term, flag: Term, (absent, there): (&Known, &Known), guesses: &mut Vec<Term>) {
        let full = self.terms.not(empty);
        let cases = [(empty, absent, there), (full, there, absent)];
        for (case, known, other) in cases {
            let Some(value) = known.value else { continue };
            let value_term = self.terms.constant(value, self.terms.width(flag));
            let is = self.terms.eq(flag, value_term);
            guesses.push(if other.is_never(value) {
                self.terms.eq(case, is)
            } else {
                let otherwise = self.terms.not(case);
                self.terms.or(otherwise, is)
            });
        }
    }

    /// Guesses between what a number is where there may be something: lists that a loop has freed one by one have no nodes up to where it
    /// has come.
    fn guess_range(&mut self, empty: Term, flag: Term, (absent, there): (&Known, &Known), guesses: &mut Vec<Term>) {
        if absent.value.is_none_or(|value| !there.is_never(value)) {
            return;
        }
        let width = self.terms.width(flag);
        let (least, most) = (self.terms.constant(there.least, width), self.terms.constant(there.most, width));
        let (above, below) = (self.terms.ule(least, flag), self.terms.ule(flag, most));
        let between = self.terms.and(above, below);
        guesses.push(self.terms.or(empty, between));
    }

    /// What a state says of several variables at once, said of those that take their places. Of two nodes that become one both may
    /// know something.
    pub(super) fn guess_inherited(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        let sides = [(&pairing.in_old, pairing.old), (&pairing.in_new, pairing.new)];
        let count = if pairing.purpose == Purpose::Merge { 2 } else { 1 };
        for (stands_for, state) in sides.into_iter().take(count) {
            let mut names: FxHashMap<Term, Term> = FxHashMap::default();
            for &fresh in &pairing.fresh {
                let term = stands_for[&fresh];
                if matches!(self.terms.node(term), Node::Var(_)) {
                    names.entry(term).or_insert(fresh);
                }
            }
            let mut lengths: FxHashSet<Term> = FxHashSet::default();
            for segment in state.memory.iter().filter_map(|(_, object)| object.segment.as_ref()) {
                lengths.extend(self.variables_of(segment.length).iter().copied());
            }
            let mut renamed = Substitution::new(names.clone());
            for condition in state.path.conditions() {
                let variables = self.variables_of(condition);
                let several = variables.iter().filter(|&variable| names.contains_key(variable)).count() > 1;
                if several && (pairing.purpose == Purpose::Merge || variables.iter().any(|v| lengths.contains(v))) {
                    guesses.push(renamed.apply(&mut self.terms, condition));
                }
            }
        }
    }
}

/// The lengths of the lists of the result.
fn lengths(pairing: &Pairing<'_>) -> FxHashSet<Term> {
    let segments = pairing.result.memory.iter().filter_map(|(_, object)| object.segment.as_ref());
    segments.map(|segment| segment.length).collect()
}
