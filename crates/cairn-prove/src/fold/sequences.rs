//! Value sequences: which values of a cell may follow each other along a list.
//!
//! Examples are alternating colours, or a mark that only certain others may follow. For such a cell, a list records
//! the possible steps from one value to the next. It also records the value before its first node and the value in
//! its last node. Lists can therefore be concatenated and unfolded without losing how their ends fit: after unfolding
//! the first node, the rest of the list begins after the value of that node.
//!
//! Where no node precedes the list, a constant that the program does not use stands for the missing value. Soundness
//! does not depend on that choice, because an additional step only weakens the sequence.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_smt::Term;
use cairn_smt::term::signed;

use crate::Lattice;
use crate::State;
use crate::fold::neighbours::{Neighbours, link_offsets};
use crate::join::pairing::{Difference, Pairing, Purpose};
use crate::limits::MAX_SEQUENCE_VALUES;
use cairn_exec::Possible;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Segment, Sequence};
use cairn_memory::symbolic::Object;
impl Lattice<'_> {
    /// Returns the sequences of the list that two neighbours are folded into.
    pub(crate) fn sequences_of(&mut self, state: &State, n: Neighbours) -> Vec<Sequence> {
        let known = |id: ObjectId, at: u64| {
            let segment = state.memory.get(id).segment.as_ref();
            segment.is_some_and(|segment| segment.sequences.iter().any(|sequence| sequence.at == at))
        };
        let cells: Vec<u64> = node_of(state, n.first).cells().map(|cell| cell.0).collect();
        let marked = self.cells_with_marks((state, n.first), (state, n.second));
        let all = cells.into_iter().filter(|&at| known(n.first, at) || known(n.second, at) || marked.contains(&at));
        all.filter_map(|at| self.sequence_of_both(state, n, at)).collect()
    }

    /// Returns the cells that hold different marks in two lists or nodes.
    fn cells_with_marks(&mut self, (new, a): (&State, ObjectId), (old, b): (&State, ObjectId)) -> Vec<u64> {
        let (x, y) = (node_of(new, a), node_of(old, b));
        let mut found = Vec::new();
        for (at, len, left) in x.cells() {
            let Some((_, _, right)) = y.cell_at(at).filter(|cell| (cell.0, cell.1) == (at, len)) else { continue };
            let values = (new.path.value(&self.machine.terms, left), old.path.value(&self.machine.terms, right));
            let differ = values.0 != values.1 || values.0.is_none();
            if differ && self.are_marks(new, left) && self.are_marks(old, right) {
                found.push(at);
            }
        }
        found
    }

    /// Returns whether a value is one of a few constants by which the program distinguishes cases.
    fn are_marks(&mut self, state: &State, value: Term) -> bool {
        let width = self.machine.terms.width(value);
        let values = self.few_values(state, value);
        values.is_some_and(|values| values.iter().all(|&bits| self.marks.contains(&signed(bits, width))))
    }

    fn sequence_of_both(&mut self, state: &State, n: Neighbours, at: u64) -> Option<Sequence> {
        let left = self.sequence(state, n.first, (n.link, n.at), at)?;
        let right = self.sequence(state, n.second, (n.link, n.at), at)?;
        let mut steps = left.steps;
        if right.before != left.last {
            // The first value of the second part follows the last value of the first part. This needs a first node in
            // the second part.
            if state.memory.get(n.second).segment.as_ref().is_some_and(|segment| segment.min == 0) {
                return None;
            }
            let (ends, begins) = (self.few_values(state, left.last)?, self.few_values(state, right.before)?);
            let firsts = right.steps.iter().filter(|step| begins.contains(&step.0)).map(|step| step.1);
            let firsts: Vec<u128> = firsts.collect();
            steps.extend(ends.iter().flat_map(|&end| firsts.iter().map(move |&first| (end, first))));
        }
        steps.extend(right.steps);
        are_informative(&steps).then_some(Sequence { at, steps, before: left.before, last: right.last })
    }

    /// Returns the sequence of a cell along a list or in a node; `None` if the cell may have many values.
    fn sequence(&mut self, state: &State, id: ObjectId, (link, start): (u64, u64), at: u64) -> Option<Sequence> {
        let object = state.memory.get(id);
        let segment = object.segment.clone();
        if let Some(known) = segment.iter().flat_map(|segment| &segment.sequences).find(|known| known.at == at) {
            return Some(known.clone());
        }
        let node = segment.as_ref().map_or(object, |segment| state.memory.get(segment.node));
        let (_, _, value) = node.cell_at(at).filter(|cell| cell.0 == at)?;
        let before = self.value_before(state, id, (link, start), (at, value));
        let (steps, last) = match &segment {
            None => (self.steps_between(state, before, value)?, value),
            Some(segment) => {
                let shared = self.constant_in_all(state, segment, at)?;
                let (befores, value) = (self.few_values(state, before)?, self.machine.terms.as_const(shared)?);
                let zero = self.machine.terms.constant(0, self.machine.pointer_bits);
                let empty = if segment.min == 0 {
                    self.machine.terms.eq(segment.length, zero)
                } else {
                    self.machine.terms.falsity()
                };
                let last = self.machine.terms.ite(empty, before, shared);
                (befores.into_iter().chain([value]).map(|before| (before, value)).collect(), last)
            }
        };
        are_informative(&steps).then_some(Sequence { at, steps, before, last })
    }

    /// Returns the value of a cell in the node before another node or before a list.
    ///
    /// Returns the constant for a missing value if there is no such node, or if its cell may have many values.
    fn value_before(
        &mut self,
        state: &State,
        id: ObjectId,
        (link, start): (u64, u64),
        (at, value): (u64, Term),
    ) -> Term {
        let pointer = self.pointer_at(state, id, start);
        let width = self.machine.terms.width(value);
        let leads_there = |object: &Object| match &object.segment {
            None => object.cell_at(link).is_some_and(|cell| (cell.0, cell.2) == (link, pointer)),
            Some(segment) => segment.links.len() == 1 && segment.next == pointer,
        };
        let size = state.memory.get(id).size;
        let mut found = state.memory.iter().filter(|(other, object)| {
            *other != id && crate::fold::references::is_node(object) && object.size == size && leads_there(object)
        });
        let before = match (found.next(), found.next()) {
            (Some((_, object)), None) => match &object.segment {
                None => object.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2),
                Some(segment) => {
                    let known = segment.sequences.iter().find(|known| known.at == at).map(|known| known.last);
                    known.or_else(|| self.constant_in_all(state, segment, at).filter(|_| segment.min > 0))
                }
            },
            _ => None,
        };
        let before = before.filter(|&term| self.machine.terms.width(term) == width);
        match before {
            Some(term) if self.few_values(state, term).is_some() => term,
            _ => self.missing_value(width),
        }
    }

    /// Returns the constant that a cell holds in every node of a list.
    fn constant_in_all(&mut self, state: &State, segment: &Segment, at: u64) -> Option<Term> {
        let (_, _, value) = state.memory.get(segment.node).cell_at(at).filter(|cell| cell.0 == at)?;
        let bits = state.path.value(&self.machine.terms, value)?;
        Some(self.machine.terms.constant(bits, self.machine.terms.width(value)))
    }

    /// Returns the constant for a missing value.
    ///
    /// The constant is close to the marks of the program, so that one small range contains it and them.
    fn missing_value(&mut self, width: u32) -> Term {
        let free = (0..).find(|value| !self.marks.contains(value)).unwrap_or(0);
        self.machine.terms.constant(free as u128, width)
    }

    /// Returns all values that a term may have, if they are few.
    fn few_values(&mut self, state: &State, term: Term) -> Option<Vec<u128>> {
        let facts = state.path.facts(&self.machine.terms, term);
        (facts.max - facts.min < MAX_SEQUENCE_VALUES as u128).then(|| (facts.min..=facts.max).collect())
    }

    /// Returns the steps that two consecutive values may form.
    fn steps_between(&mut self, state: &State, before: Term, after: Term) -> Option<BTreeSet<(u128, u128)>> {
        let (befores, afters) = (self.few_values(state, before)?, self.few_values(state, after)?);
        let known = befores.len() * afters.len() == 1;
        let mut steps = BTreeSet::new();
        for &from in &befores {
            for &to in &afters {
                if known || self.is_possible_step(state, (before, from), (after, to)) {
                    steps.insert((from, to));
                }
            }
        }
        Some(steps)
    }

    fn is_possible_step(&mut self, state: &State, before: (Term, u128), after: (Term, u128)) -> bool {
        let [one, two] = [before, after].map(|(term, value)| {
            let value = self.machine.terms.constant(value, self.machine.terms.width(term));
            self.machine.terms.eq(term, value)
        });
        let both = self.machine.terms.and(one, two);
        !matches!(self.possible(state, both), Possible::No)
    }

    /// Pairs the sequences of two lists, or of a node and a list; the result has the steps of both.
    ///
    /// For covering, the old list must have every step of the new one. Lists that nodes own lose their sequences when
    /// the nodes are merged.
    pub(crate) fn pair_sequences(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<Vec<Sequence>> {
        let mut result = Vec::new();
        let (new, old) = (p.new, p.old);
        let cells = |state: &State, id: ObjectId| -> BTreeSet<u64> {
            let segment = state.memory.get(id).segment.as_ref();
            segment.into_iter().flat_map(|segment| &segment.sequences).map(|known| known.at).collect()
        };
        let cells: BTreeSet<u64> = match p.purpose {
            Purpose::Merge => return Some(result),
            Purpose::Cover => cells(old, b),
            Purpose::Join => {
                let both: BTreeSet<u64> = cells(new, a).union(&cells(old, b)).copied().collect();
                both.into_iter().chain(self.cells_with_marks((new, a), (old, b))).collect()
            }
        };
        if cells.is_empty() {
            return Some(result);
        }
        let segment = old.memory.get(b).segment.clone()?;
        let Some(&(link, _)) = link_offsets(old, &segment).first() else {
            return (p.purpose != Purpose::Cover).then_some(result);
        };
        for at in cells {
            let left = self.sequence(new, a, (link, segment.at), at);
            let right = self.sequence(old, b, (link, segment.at), at);
            let (Some(left), Some(right)) = (left, right) else {
                if p.purpose == Purpose::Cover {
                    return None;
                }
                continue;
            };
            if self.machine.terms.width(left.last) != self.machine.terms.width(right.last)
                || (p.purpose == Purpose::Cover && !left.steps.is_subset(&right.steps))
            {
                return None;
            }
            // Whether a list has a predecessor is part of its shape.
            let nothing = self.missing_value(self.machine.terms.width(left.last));
            if (left.before == nothing) != (right.before == nothing) {
                p.differences.push(Difference::POSITION);
            }
            let steps: BTreeSet<(u128, u128)> = left.steps.union(&right.steps).copied().collect();
            let before = self.pair_values(p, left.before, right.before)?;
            let last = self.pair_values(p, left.last, right.last)?;
            if are_informative(&steps) {
                result.push(Sequence { at, steps, before, last });
            }
        }
        Some(result)
    }

    /// Pairs the sequences of lists that are empty in the new state: their last value is the value before them.
    pub(crate) fn pair_absent_sequences(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let mut absent: Vec<ObjectId> = p.absent.iter().copied().collect();
        absent.sort_unstable();
        for id in absent {
            let Some(segment) = p.old.memory.get(id).segment.clone() else { continue };
            let mut result = Vec::new();
            for old in &segment.sequences {
                let before = self.value_before_empty(p, old.before);
                let last = self.pair_values(p, before, old.last)?;
                let before = self.pair_values(p, before, old.before)?;
                result.push(Sequence { before, last, ..old.clone() });
            }
            if !result.is_empty() && p.purpose != Purpose::Cover {
                let object = p.result.memory.get_mut(id);
                object.segment =
                    object.segment.as_deref().map(|segment| Rc::new(Segment { sequences: result, ..segment.clone() }));
            }
        }
        Some(())
    }

    /// Returns the new state's term for an old value that precedes an empty list.
    ///
    /// That is the term that the value was paired with, or else an arbitrary constant.
    fn value_before_empty(&mut self, p: &Pairing<'_>, before: Term) -> Term {
        if self.machine.terms.as_const(before).is_some() {
            return before;
        }
        p.in_new.get(&before).copied().or_else(|| p.paired_with(before)).unwrap_or_else(|| {
            let bits = self.machine.terms.evaluate(before, p.old.path.model());
            self.machine.terms.constant(bits, self.machine.terms.width(before))
        })
    }
}

/// Returns an object, or the pattern of a list's nodes.
fn node_of(state: &State, id: ObjectId) -> &Object {
    let object = state.memory.get(id);
    object.segment.as_ref().map_or(object, |segment| state.memory.get(segment.node))
}

/// Returns whether steps carry information: they use few values and do not allow every step between them.
fn are_informative(steps: &BTreeSet<(u128, u128)>) -> bool {
    let all: BTreeSet<u128> = steps.iter().flat_map(|step| [step.0, step.1]).collect();
    let values: BTreeSet<u128> = steps.iter().map(|step| step.1).collect();
    let each = || values.iter().flat_map(|&from| values.iter().map(move |&to| (from, to)));
    all.len() <= MAX_SEQUENCE_VALUES && (values.len() < 2 || each().any(|step| !steps.contains(&step)))
}
