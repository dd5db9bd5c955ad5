//! Skip lists: the nodes of a list that own a list each, which ends at the next node.
//!
//! Such a lower list needs nothing of its own in a segment: what follows it is the link of the node that owns it. But the levels
//! have to be told apart when nodes are folded, since all nodes are of one kind and the lowest link leads through all of them; and a
//! lower list without nodes is nothing but two links that hold the same.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::FxHashMap;

use super::fit::Wish;
use super::neighbours::{Neighbours, link_offsets};
use super::pair::Pairing;
use super::references::{Source, is_owned};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::End;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Segment, Side};
use crate::memory::symbolic::Object;

/// Sorts neighbours so that lower levels come first: nodes of the upper ones have more ways to go on.
pub(super) fn lower_levels_first(state: &State, neighbours: &mut [Neighbours]) {
    let mut ways: FxHashMap<ObjectId, usize> = FxHashMap::default();
    for n in neighbours.iter() {
        if state.memory.get(n.first).size == state.memory.get(n.second).size {
            *ways.entry(n.first).or_default() += 1;
        }
    }
    let ways = |id: ObjectId| ways.get(&id).copied().unwrap_or(0);
    neighbours.sort_by_key(|n| ways(n.first) + ways(n.second));
}

/// Whether what comes from a left node becomes the link of the pattern: then it leads where the link does.
pub(super) fn leads_on(pairing: &Pairing<'_>, source: Source, link: Term) -> bool {
    let partner = |id: ObjectId| pairing.partners.get(&id).map(|&partner| pairing.result.memory.get(partner));
    match source {
        Source::Cell(id, at) => partner(id)
            .and_then(|object| object.cell_at(at))
            .is_some_and(|(start, _, value)| (start, value) == (at, link)),
        Source::Next(id) => {
            partner(id).and_then(|object| object.segment.as_ref()).is_some_and(|segment| segment.next == link)
        }
        Source::Root | Source::Prev(_) => false,
    }
}

/// Whether a segment is a list from a node to the one that another link of the node leads to.
pub(super) fn is_lower_level(explorer: &mut Explorer<'_>, state: &State, id: ObjectId) -> bool {
    let Some(segment) = state.memory.get(id).segment.clone() else { return false };
    if segment.links.len() != 1 || explorer.terms.as_const(segment.next).is_some() {
        return false;
    }
    let pointer = explorer.pointer_at(state, id, segment.at);
    let holds = |object: &Object, value: Term| object.cells().any(|cell| cell.2 == value);
    state
        .memory
        .iter()
        .any(|(_, object)| object.end == End::Live && holds(object, pointer) && holds(object, segment.next))
}

impl Explorer<'_> {
    /// What would help where two links of one node hold the same and those of the other do not, because there a lower list
    /// lies in between. The link by which the two hang together is none of a lower list.
    pub(super) fn level_wish(&mut self, state: &State, a: ObjectId, b: ObjectId, link: Option<u64>) -> Option<Wish> {
        let (x, y) = (state.memory.get(a), state.memory.get(b));
        let value = |object: &Object, at: u64| object.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2);
        let both: Vec<(u64, Term, Term)> = x
            .cells()
            .filter(|&(_, len, _)| 8 * len == self.pointer_bits)
            .filter_map(|(at, _, left)| Some((at, left, value(y, at)?)))
            .collect();
        for &(at, x_low, y_low) in both.iter().filter(|cell| Some(cell.0) != link) {
            for &(_, x_up, y_up) in &both {
                let found = match (x_low == x_up, y_low == y_up) {
                    (false, true) => self.lower_wish(state, (a, at), (x_low, x_up), (b, y_low)),
                    (true, false) => self.lower_wish(state, (b, at), (y_low, y_up), (a, x_low)),
                    _ => None,
                };
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The same for a node whose cell leads to something that ends where another link leads, and a node that has nothing there.
    fn lower_wish(
        &mut self,
        state: &State,
        (holder, at): (ObjectId, u64),
        (low, up): (Term, Term),
        (other, value): (ObjectId, Term),
    ) -> Option<Wish> {
        match self.target(state, low) {
            Target::Segment(id, Side::First, _) => {
                let segment = state.memory.get(id).segment.as_deref()?;
                let next = segment.next;
                // A lower list goes on where it begins.
                let level = link_offsets(state, segment).iter().any(|&(link, _)| link == at);
                let ends = next == up
                    || self.node_at(state, up).is_some_and(|(follower, _)| self.is_no_more_than(state, follower, next));
                (level && ends).then_some(Wish::Empty(other, at, id))
            }
            Target::Object(id, _) if self.terms.as_const(value).is_none() => {
                let (object, same) = (state.memory.get(id), state.memory.get(holder).size);
                let ends = object.cell_at(at).is_some_and(|cell| (cell.0, cell.2) == (at, up));
                (ends && is_owned(object) && object.size == same).then_some(Wish::Alone(holder, at, up))
            }
            _ => None,
        }
    }

    /// Sorts the cells of an object so that a link comes before those to lists that end where it leads: what the nodes of a lower
    /// list are is seen when it is known what follows them.
    pub(super) fn upper_levels_first(&mut self, state: &State, object: &Object, cells: &mut [(u64, u32)]) {
        let mut followed: Vec<(u64, Term)> = Vec::new();
        for (at, len, value) in object.cells() {
            if 8 * len == self.pointer_bits
                && let Target::Segment(id, Side::First, _) = self.target(state, value)
                && let Some(segment) = &state.memory.get(id).segment
                && segment.links.len() == 1
                && object.cells().any(|cell| cell.0 != at && cell.2 == segment.next)
            {
                followed.push((at, segment.next));
            }
        }
        if followed.is_empty() {
            return;
        }
        let level = |mut at: u64| {
            let mut level = 0;
            while let Some(&(_, next)) = followed.iter().find(|lower| lower.0 == at)
                && level < followed.len()
                && let Some(cell) = object.cells().find(|cell| cell.0 != at && cell.2 == next)
            {
                level += 1;
                at = cell.0;
            }
            level
        };
        cells.sort_by_key(|&(at, _)| level(at));
    }

    /// Whether one of two nodes has a link to a node like itself where the other has nothing at all: then it belongs to a higher
    /// level of a skip list, which would be lost.
    pub(super) fn differ_in_level(
        &mut self,
        (new, a, left): (&State, ObjectId, &Option<Rc<Segment>>),
        (old, b, right): (&State, ObjectId, &Option<Rc<Segment>>),
    ) -> bool {
        let mut lost = |state: &State, object: &Object, segment: &Option<Rc<Segment>>, other: &Object| {
            let missing: Vec<Term> =
                object.cells().filter(|cell| other.cell_at(cell.0).is_none()).map(|(_, _, value)| value).collect();
            missing.into_iter().any(|value| {
                let own = segment.as_ref().is_some_and(|segment| segment.links.contains(&value));
                own || self.terms.width(value) == self.pointer_bits
                    && self.node_at(state, value).is_some_and(|(id, _)| state.memory.get(id).size == object.size)
            })
        };
        let (x, y) = (new.memory.get(a), old.memory.get(b));
        lost(new, x, left, y) || lost(old, y, right, x)
    }
}
