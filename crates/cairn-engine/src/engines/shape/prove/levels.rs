//! Skip lists: the nodes of a list that own a list each, which ends at the next node.
//!
//! Such a lower list needs nothing of its own in a segment: what follows it is the link of the node that owns it. But the levels
//! have to be told apart when nodes are folded, since all nodes are of one kind and the lowest link leads through all of them; and a
//! lower list without nodes is nothing but two links that hold the same.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::FxHashMap;

use super::fold::{Neighbours, Source};
use super::pair::Pairing;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::object::End;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Segment;
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
        Source::Cell(id, at) => {
            partner(id).and_then(|object| object.cell_at(at)).is_some_and(|(start, _, value)| (start, value) == (at, link))
        }
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
    state.memory.iter().any(|(_, object)| {
        object.end == End::Live && holds(object, pointer) && holds(object, segment.next)
    })
}

impl Explorer<'_> {
    /// Whether one of two nodes has a link to a node like itself where the other has nothing at all: then it belongs to a higher
    /// level of a skip list, which would be lost.
    pub(super) fn differ_in_level(
        &mut self,
        state: &State,
        (a, left): (ObjectId, &Option<Rc<Segment>>),
        (b, right): (ObjectId, &Option<Rc<Segment>>),
    ) -> bool {
        let mut lost = |from: ObjectId, segment: &Option<Rc<Segment>>, to: ObjectId| {
            let (object, other) = (state.memory.get(from), state.memory.get(to));
            let missing: Vec<Term> =
                object.cells().filter(|cell| other.cell_at(cell.0).is_none()).map(|(_, _, value)| value).collect();
            missing.into_iter().any(|value| {
                let own = segment.as_ref().is_some_and(|segment| segment.links.contains(&value));
                own || self.terms.width(value) == self.pointer_bits
                    && self.node_at(state, value).is_some_and(|(id, _)| state.memory.get(id).size == object.size)
            })
        };
        lost(a, left, b) || lost(b, right, a)
    }
}
