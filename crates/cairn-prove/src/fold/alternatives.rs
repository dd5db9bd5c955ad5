//! Nodes with optional parts: a number in the node tells whether the part is there.
//!
//! An optional object is a segment whose length is 0 or 1. A flag that tells the two kinds of nodes apart is
//! therefore a number that depends on a length. When a node with the part and a node without it are merged, every
//! number that differs may be such a flag. That is guessed, and [`crate::numeric::joined_path`] keeps the guesses
//! that both nodes imply. The same holds for lists that may be empty.

use cairn_smt::term::Node;
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::join::pairing::{Pairing, Purpose};
use crate::limits::MAX_FLAGS;
/// The known value and range of a number in one of two states.
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

impl Lattice<'_> {
    /// Returns whether exactly one of two nodes of a state has some optional part.
    pub(crate) fn are_alternatives(&mut self, pairing: &Pairing<'_>) -> bool {
        let lengths = lengths(pairing);
        let empty = |state: &State, length: Term| state.path.value(&self.machine.terms, length) == Some(0);
        pairing
            .numbers
            .iter()
            .any(|&(result, x, y)| lengths.contains(&result) && empty(pairing.new, x) != empty(pairing.old, y))
    }

    /// Guesses which numbers tell whether a list has nodes.
    pub(crate) fn guess_alternatives(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        let lengths = lengths(pairing);
        let known = |lattice: &Self, state: &State, term: Term| {
            let facts = state.path.facts(&lattice.machine.terms, term);
            Known { value: state.path.value(&lattice.machine.terms, term), least: facts.min, most: facts.max }
        };
        for &(length, x, y) in pairing.numbers.iter().filter(|number| lengths.contains(&number.0)) {
            let (new, old) = (known(self, pairing.new, x), known(self, pairing.old, y));
            let new_is_empty = match (new.value, old.value) {
                (Some(0), _) => true,
                (_, Some(0)) => false,
                _ => continue,
            };
            let zero = self.machine.terms.constant(0, self.machine.pointer_bits);
            let empty = self.machine.terms.eq(length, zero);
            let (state, other) = if new_is_empty { (pairing.old, y) } else { (pairing.new, x) };
            let full = self.machine.terms.ne(other, zero);
            let certain = self.follows(state, full);
            let flags = pairing.numbers.iter().filter(|number| number.0 != length && !lengths.contains(&number.0));
            for &(flag, x, y) in flags.take(MAX_FLAGS) {
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

    /// Guesses the value of a flag where the part is absent, and its value where the part is there.
    fn guess_flag(&mut self, empty: Term, flag: Term, (absent, there): (&Known, &Known), guesses: &mut Vec<Term>) {
        let full = self.machine.terms.not(empty);
        let cases = [(empty, absent, there), (full, there, absent)];
        for (case, known, other) in cases {
            let Some(value) = known.value else { continue };
            let value_term = self.machine.terms.constant(value, self.machine.terms.width(flag));
            let is = self.machine.terms.eq(flag, value_term);
            guesses.push(if other.is_never(value) {
                self.machine.terms.eq(case, is)
            } else {
                let otherwise = self.machine.terms.not(case);
                self.machine.terms.or(otherwise, is)
            });
        }
    }

    /// Guesses the range of a number where the part may be there.
    ///
    /// For example, lists that a loop frees one by one are empty up to the index that the loop has reached.
    fn guess_range(&mut self, empty: Term, flag: Term, (absent, there): (&Known, &Known), guesses: &mut Vec<Term>) {
        if absent.value.is_none_or(|value| !there.is_never(value)) {
            return;
        }
        let width = self.machine.terms.width(flag);
        let (least, most) =
            (self.machine.terms.constant(there.least, width), self.machine.terms.constant(there.most, width));
        let (above, below) = (self.machine.terms.ule(least, flag), self.machine.terms.ule(flag, most));
        let between = self.machine.terms.and(above, below);
        guesses.push(self.machine.terms.or(empty, between));
    }

    /// Guesses for the result's variables the conditions that relate several variables of a state.
    ///
    /// When two nodes of one state are merged, either node may have such conditions.
    pub(crate) fn guess_inherited(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        let sides = [(&pairing.in_old, pairing.old), (&pairing.in_new, pairing.new)];
        let count = if pairing.purpose == Purpose::Merge { 2 } else { 1 };
        for (stands_for, state) in sides.into_iter().take(count) {
            let mut names: FxHashMap<Term, Term> = FxHashMap::default();
            for &fresh in &pairing.fresh {
                let term = stands_for[&fresh];
                if matches!(self.machine.terms.node(term), Node::Var(_)) {
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
                    guesses.push(renamed.apply(&mut self.machine.terms, condition));
                }
            }
        }
    }
}

/// Returns the lengths of the result's segments.
fn lengths(pairing: &Pairing<'_>) -> FxHashSet<Term> {
    let segments = pairing.result.memory.iter().filter_map(|(_, object)| object.segment.as_ref());
    segments.map(|segment| segment.length).collect()
}
