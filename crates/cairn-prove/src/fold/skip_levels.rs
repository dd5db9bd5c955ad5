//! Skip lists: each node of a list owns a lower list that ends at the next node.
//!
//! A segment needs no extra field for the lower list, because its `next` is the link of the node that owns it. But
//! folding has to tell the levels apart: all nodes have the same type, and the lowest link leads through all of them.
//! A lower list without nodes shows only as two links with the same value.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::FxHashMap;

use crate::Lattice;
use crate::State;
use crate::fold::neighbours::{Neighbours, link_offsets};
use crate::fold::normalise::Rewrite;
use crate::fold::references::{Source, is_owned};
use crate::join::pairing::Pairing;
use cairn_exec::allocation::Target;
use cairn_memory::object::End;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Segment, Side};
use cairn_memory::symbolic::Object;

/// Sorts neighbours so that lower levels come first, since nodes of upper levels have more links to follow.
pub(crate) fn lower_levels_first(state: &State, neighbours: &mut [Neighbours]) {
    let mut ways: FxHashMap<ObjectId, usize> = FxHashMap::default();
    for n in neighbours.iter() {
        if state.memory.get(n.first).size == state.memory.get(n.second).size {
            *ways.entry(n.first).or_default() += 1;
        }
    }
    let ways = |id: ObjectId| ways.get(&id).copied().unwrap_or(0);
    neighbours.sort_by_key(|n| ways(n.first) + ways(n.second));
}

/// Returns whether a pointer from a left node becomes the link of the pattern, so that it leads where the link leads.
pub(crate) fn becomes_link(pairing: &Pairing<'_>, source: Source, link: Term) -> bool {
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

/// Returns whether a segment is a list from a node to the node that another of its links leads to.
pub(crate) fn is_lower_level(lattice: &mut Lattice<'_>, state: &State, id: ObjectId) -> bool {
    let Some(segment) = state.memory.get(id).segment.clone() else { return false };
    if segment.links.len() != 1 || lattice.machine.terms.as_const(segment.next).is_some() {
        return false;
    }
    let pointer = lattice.pointer_at(state, id, segment.at);
    let holds = |object: &Object, value: Term| object.cells().any(|cell| cell.2 == value);
    state
        .memory
        .iter()
        .any(|(_, object)| object.end == End::Live && holds(object, pointer) && holds(object, segment.next))
}

impl Lattice<'_> {
    /// Returns the rewrite for two nodes of which only one has two links with equal values.
    ///
    /// In the other node, a lower list lies between the two links. The link that connects the two nodes themselves is
    /// not the link of a lower list.
    pub(crate) fn rewrite_for_levels(
        &mut self,
        state: &State,
        a: ObjectId,
        b: ObjectId,
        link: Option<u64>,
    ) -> Option<Rewrite> {
        let (x, y) = (state.memory.get(a), state.memory.get(b));
        let value = |object: &Object, at: u64| object.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2);
        let both: Vec<(u64, Term, Term)> = x
            .cells()
            .filter(|&(_, len, _)| 8 * len == self.machine.pointer_bits)
            .filter_map(|(at, _, left)| Some((at, left, value(y, at)?)))
            .collect();
        for &(at, x_low, y_low) in both.iter().filter(|cell| Some(cell.0) != link) {
            for &(_, x_up, y_up) in &both {
                let found = match (x_low == x_up, y_low == y_up) {
                    (false, true) => self.rewrite_for_lower_list(state, (a, at), (x_low, x_up), (b, y_low)),
                    (true, false) => self.rewrite_for_lower_list(state, (b, at), (y_low, y_up), (a, x_low)),
                    _ => None,
                };
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Returns the rewrite for a node whose lower list ends where its upper link leads, and a node with no such list.
    fn rewrite_for_lower_list(
        &mut self,
        state: &State,
        (holder, at): (ObjectId, u64),
        (low, up): (Term, Term),
        (other, value): (ObjectId, Term),
    ) -> Option<Rewrite> {
        match self.any_target(state, low) {
            Target::Segment(id, Side::First, _) => {
                let segment = state.memory.get(id).segment.as_deref()?;
                let next = segment.next;
                // A lower list continues in the same cell in which it begins.
                let level = link_offsets(state, segment).iter().any(|&(link, _)| link == at);
                let ends = next == up
                    || self
                        .node_at(state, up)
                        .is_some_and(|(follower, _)| self.is_empty_with_next(state, follower, next));
                (level && ends).then_some(Rewrite::EmptySegment(other, at, id))
            }
            Target::Object(id, _) if self.machine.terms.as_const(value).is_none() => {
                let (object, same) = (state.memory.get(id), state.memory.get(holder).size);
                let ends = object.cell_at(at).is_some_and(|cell| (cell.0, cell.2) == (at, up));
                (ends && is_owned(object) && object.size == same).then_some(Rewrite::SingleNodeWithEnd(holder, at, up))
            }
            _ => None,
        }
    }

    /// Sorts the cells of an object so that a link comes before links to lists that end at its target.
    ///
    /// A lower list can be paired only when it is known what follows its nodes.
    pub(crate) fn upper_levels_first(&mut self, state: &State, object: &Object, cells: &mut [(u64, u32)]) {
        let mut followed: Vec<(u64, Term)> = Vec::new();
        for (at, len, value) in object.cells() {
            if 8 * len == self.machine.pointer_bits
                && let Target::Segment(id, Side::First, _) = self.any_target(state, value)
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

    /// Returns whether one of two nodes has a link to a node of its own size where the other has no cell at all.
    ///
    /// The node then belongs to a higher level of a skip list, and pairing the two would lose that level.
    pub(crate) fn differ_in_level(
        &mut self,
        (new, a, left): (&State, ObjectId, &Option<Rc<Segment>>),
        (old, b, right): (&State, ObjectId, &Option<Rc<Segment>>),
    ) -> bool {
        let mut lost = |state: &State, object: &Object, segment: &Option<Rc<Segment>>, other: &Object| {
            let missing: Vec<Term> =
                object.cells().filter(|cell| other.cell_at(cell.0).is_none()).map(|(_, _, value)| value).collect();
            missing.into_iter().any(|value| {
                let own = segment.as_ref().is_some_and(|segment| segment.links.contains(&value));
                own || self.machine.terms.width(value) == self.machine.pointer_bits
                    && self.node_at(state, value).is_some_and(|(id, _)| state.memory.get(id).size == object.size)
            })
        };
        let (x, y) = (new.memory.get(a), old.memory.get(b));
        lost(new, x, left, y) || lost(old, y, right, x)
    }
}
