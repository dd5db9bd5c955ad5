//! What a cell holds from node to node: colours that take turns, marks that only certain others follow.
//!
//! A list knows of such a cell which value may follow which, what comes before its first node and what its last one holds. So lists
//! can be put together and taken apart without losing how their ends fit: the rest of a list that a node was taken out of begins
//! after that node's value. Where a list begins nothing comes before, for which a value stands that the program does not use;
//! soundness does not depend on that, because a step more only says less.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_smt::Term;
use cairn_smt::term::signed;

use super::neighbours::{Neighbours, link_offsets};
use super::pair::{Pairing, Purpose};
use crate::engines::shape::state::State;
use crate::engines::shape::{Explorer, Possible};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Segment, Sequence};
use crate::memory::symbolic::Object;

/// Different values of one cell beyond which it holds data and no marks.
const MAX_VALUES: usize = 6;

impl Explorer<'_> {
    /// The sequences of the list that two neighbours become.
    pub(super) fn sequences_of(&mut self, state: &State, n: Neighbours) -> Vec<Sequence> {
        let known = |id: ObjectId, at: u64| {
            let segment = state.memory.get(id).segment.as_ref();
            segment.is_some_and(|segment| segment.sequences.iter().any(|sequence| sequence.at == at))
        };
        let cells: Vec<u64> = node_of(state, n.first).cells().map(|cell| cell.0).collect();
        let marked = self.cells_with_marks((state, n.first), (state, n.second));
        let all = cells.into_iter().filter(|&at| known(n.first, at) || known(n.second, at) || marked.contains(&at));
        all.filter_map(|at| self.sequence_of_both(state, n, at)).collect()
    }

    /// The cells that hold different marks in two lists or nodes.
    fn cells_with_marks(&mut self, (new, a): (&State, ObjectId), (old, b): (&State, ObjectId)) -> Vec<u64> {
        let (x, y) = (node_of(new, a), node_of(old, b));
        let mut found = Vec::new();
        for (at, len, left) in x.cells() {
            let Some((_, _, right)) = y.cell_at(at).filter(|cell| (cell.0, cell.1) == (at, len)) else { continue };
            let values = (new.path.value(&self.terms, left), old.path.value(&self.terms, right));
            let differ = values.0 != values.1 || values.0.is_none();
            if differ && self.are_marks(new, left) && self.are_marks(old, right) {
                found.push(at);
            }
        }
        found
    }

    /// Whether a value is one of a few constants by which the program tells cases apart.
    fn are_marks(&mut self, state: &State, value: Term) -> bool {
        let width = self.terms.width(value);
        let values = self.few_values(state, value);
        values.is_some_and(|values| values.iter().all(|&bits| self.marks.contains(&signed(bits, width))))
    }

    fn sequence_of_both(&mut self, state: &State, n: Neighbours, at: u64) -> Option<Sequence> {
        let left = self.sequence(state, n.first, (n.link, n.at), at)?;
        let right = self.sequence(state, n.second, (n.link, n.at), at)?;
        let mut steps = left.steps;
        if right.before != left.last {
            // What the second part begins with follows what the first one ends with. A part without nodes would begin with nothing.
            if state.memory.get(n.second).segment.as_ref().is_some_and(|segment| segment.min == 0) {
                return None;
            }
            let (ends, begins) = (self.few_values(state, left.last)?, self.few_values(state, right.before)?);
            let firsts = right.steps.iter().filter(|step| begins.contains(&step.0)).map(|step| step.1);
            let firsts: Vec<u128> = firsts.collect();
            steps.extend(ends.iter().flat_map(|&end| firsts.iter().map(move |&first| (end, first))));
        }
        steps.extend(right.steps);
        are_telling(&steps).then_some(Sequence { at, steps, before: left.before, last: right.last })
    }

    /// What a cell holds along a list, or in a node; nothing, where that is no matter of a few values.
    fn sequence(&mut self, state: &State, id: ObjectId, (link, start): (u64, u64), at: u64) -> Option<Sequence> {
        let object = state.memory.get(id);
        let segment = object.segment.clone();
        if let Some(known) = segment.iter().flat_map(|segment| &segment.sequences).find(|known| known.at == at) {
            return Some(known.clone());
        }
        let node = segment.as_ref().map_or(object, |segment| state.memory.get(segment.node));
        let (_, _, value) = node.cell_at(at).filter(|cell| cell.0 == at)?;
        let before = self.before(state, id, (link, start), (at, value));
        let (steps, last) = match &segment {
            None => (self.steps_between(state, before, value)?, value),
            Some(segment) => {
                let shared = self.shared(state, segment, at)?;
                let (befores, value) = (self.few_values(state, before)?, self.terms.as_const(shared)?);
                let zero = self.terms.constant(0, self.pointer_bits);
                let empty = if segment.min == 0 { self.terms.eq(segment.length, zero) } else { self.terms.falsity() };
                let last = self.terms.ite(empty, before, shared);
                (befores.into_iter().chain([value]).map(|before| (before, value)).collect(), last)
            }
        };
        are_telling(&steps).then_some(Sequence { at, steps, before, last })
    }

    /// What a cell holds in the node before another one or before a list; a value that stands for nothing, where there is none, or
    /// where it is no matter of a few values.
    fn before(&mut self, state: &State, id: ObjectId, (link, start): (u64, u64), (at, value): (u64, Term)) -> Term {
        let pointer = self.pointer_at(state, id, start);
        let width = self.terms.width(value);
        let leads_there = |object: &Object| match &object.segment {
            None => object.cell_at(link).is_some_and(|cell| (cell.0, cell.2) == (link, pointer)),
            Some(segment) => segment.links.len() == 1 && segment.next == pointer,
        };
        let size = state.memory.get(id).size;
        let mut found = state.memory.iter().filter(|(other, object)| {
            *other != id && super::references::is_node(object) && object.size == size && leads_there(object)
        });
        let before = match (found.next(), found.next()) {
            (Some((_, object)), None) => match &object.segment {
                None => object.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2),
                Some(segment) => {
                    let known = segment.sequences.iter().find(|known| known.at == at).map(|known| known.last);
                    known.or_else(|| self.shared(state, segment, at).filter(|_| segment.min > 0))
                }
            },
            _ => None,
        };
        let before = before.filter(|&term| self.terms.width(term) == width);
        match before {
            Some(term) if self.few_values(state, term).is_some() => term,
            _ => self.nothing(width),
        }
    }

    /// The constant that a cell holds in every node of a list.
    fn shared(&mut self, state: &State, segment: &Segment, at: u64) -> Option<Term> {
        let (_, _, value) = state.memory.get(segment.node).cell_at(at).filter(|cell| cell.0 == at)?;
        let bits = state.path.value(&self.terms, value)?;
        Some(self.terms.constant(bits, self.terms.width(value)))
    }

    /// What stands for nothing: close to the marks of the program, so that it can be said in one breath with them.
    fn nothing(&mut self, width: u32) -> Term {
        let free = (0..).find(|value| !self.marks.contains(value)).unwrap_or(0);
        self.terms.constant(free as u128, width)
    }

    /// All values that a term may have, where they are few.
    fn few_values(&mut self, state: &State, term: Term) -> Option<Vec<u128>> {
        let facts = state.path.facts(&self.terms, term);
        (facts.max - facts.min < MAX_VALUES as u128).then(|| (facts.min..=facts.max).collect())
    }

    /// The steps that two values in a row may be.
    fn steps_between(&mut self, state: &State, before: Term, after: Term) -> Option<BTreeSet<(u128, u128)>> {
        let (befores, afters) = (self.few_values(state, before)?, self.few_values(state, after)?);
        let known = befores.len() * afters.len() == 1;
        let mut steps = BTreeSet::new();
        for &from in &befores {
            for &to in &afters {
                if known || self.may_follow(state, (before, from), (after, to)) {
                    steps.insert((from, to));
                }
            }
        }
        Some(steps)
    }

    fn may_follow(&mut self, state: &State, before: (Term, u128), after: (Term, u128)) -> bool {
        let [one, two] = [before, after].map(|(term, value)| {
            let value = self.terms.constant(value, self.terms.width(term));
            self.terms.eq(term, value)
        });
        let both = self.terms.and(one, two);
        !matches!(self.possible(state, both), Possible::No)
    }

    /// Pairs the sequences of two lists, or of a node and a list: the result has the steps of both. Where states are compared, the
    /// old list has no step less than the new one. Lists that nodes own lose what they know when the nodes become one.
    pub(super) fn pair_sequences(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<Vec<Sequence>> {
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
            if self.terms.width(left.last) != self.terms.width(right.last)
                || (p.purpose == Purpose::Cover && !left.steps.is_subset(&right.steps))
            {
                return None;
            }
            // Whether a list begins or goes on is a part of its shape.
            let nothing = self.nothing(self.terms.width(left.last));
            if (left.before == nothing) != (right.before == nothing) {
                p.constants.push((0, 1, false));
            }
            let steps: BTreeSet<(u128, u128)> = left.steps.union(&right.steps).copied().collect();
            let before = self.pair_values(p, left.before, right.before)?;
            let last = self.pair_values(p, left.last, right.last)?;
            if are_telling(&steps) {
                result.push(Sequence { at, steps, before, last });
            }
        }
        Some(result)
    }

    /// The sequences of lists that have no node in the new state: they end with what comes before them.
    pub(super) fn pair_absent_sequences(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let mut absent: Vec<ObjectId> = p.absent.iter().copied().collect();
        absent.sort_unstable();
        for id in absent {
            let Some(segment) = p.old.memory.get(id).segment.clone() else { continue };
            let mut result = Vec::new();
            for old in &segment.sequences {
                let before = self.stands_before(p, old.before);
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

    /// What a value of the old state that comes before a list without nodes stands for: what it was paired with, or anything.
    fn stands_before(&mut self, p: &Pairing<'_>, before: Term) -> Term {
        if self.terms.as_const(before).is_some() {
            return before;
        }
        p.in_new.get(&before).copied().or_else(|| p.met_with(before)).unwrap_or_else(|| {
            let bits = self.terms.evaluate(before, p.old.path.model());
            self.terms.constant(bits, self.terms.width(before))
        })
    }
}

/// An object, or what every node of a list is like.
fn node_of(state: &State, id: ObjectId) -> &Object {
    let object = state.memory.get(id);
    object.segment.as_ref().map_or(object, |segment| state.memory.get(segment.node))
}

/// Whether steps say anything: they lead through a few values, and not from each to each.
fn are_telling(steps: &BTreeSet<(u128, u128)>) -> bool {
    let all: BTreeSet<u128> = steps.iter().flat_map(|step| [step.0, step.1]).collect();
    let values: BTreeSet<u128> = steps.iter().map(|step| step.1).collect();
    let each = || values.iter().flat_map(|&from| values.iter().map(move |&to| (from, to)));
    all.len() <= MAX_VALUES && (values.len() < 2 || each().any(|step| !steps.contains(&step)))
}
