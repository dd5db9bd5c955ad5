//! Neighbours: pairs of objects that are linked like the nodes of a list.
//!
//! The heap shows which cells are links: a cell of one object points to another object of the same size, and that
//! object has a cell at the same offset to continue the list. If the second object also points back from a cell that
//! both objects have, the list is doubly linked.

use cairn_smt::Term;
use cairn_smt::term::signed;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::limits::{LONG_CHAIN, MAX_MARK_RUNS, SITE_FRAMES};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Segment;
/// Two neighbours and the offsets of their links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours {
    pub(crate) first: ObjectId,
    pub(crate) second: ObjectId,
    /// The offset of the link in a node.
    pub(crate) link: u64,
    /// The offset of the back link in a node.
    pub(crate) back: Option<u64>,
    /// The offset in a node that links point to.
    pub(crate) at: u64,
}

impl Lattice<'_> {
    /// Returns the neighbours that follow an object or segment, one for each cell that may be its link.
    pub(crate) fn neighbours_of(&mut self, state: &State, first: ObjectId) -> Vec<Neighbours> {
        let object = state.memory.get(first);
        let mut found = Vec::new();
        if let Some(segment) = object.segment.clone() {
            if let Some((second, offset)) = self.node_at(state, segment.next)
                && offset == segment.at
                && second != first
            {
                let other = state.memory.get(second).segment.as_deref().map(|other| link_offsets(state, other));
                for (link, back) in link_offsets(state, &segment) {
                    if other.as_ref().is_none_or(|offsets| offsets.contains(&(link, back))) {
                        found.push(Neighbours { first, second, link, back, at: segment.at });
                    }
                }
            }
            return found;
        }
        let cells: Vec<(u64, u32, Term)> = object.cells().collect();
        for (link, len, value) in cells {
            if 8 * len != self.machine.pointer_bits {
                continue;
            }
            let Some((second, at)) = self.node_at(state, value) else { continue };
            if second == first {
                continue;
            }
            let there = state.memory.get(second);
            if let Some(segment) = there.segment.clone() {
                let same =
                    link_offsets(state, &segment).into_iter().filter(|&(same, _)| same == link && segment.at == at);
                found.extend(same.map(|(_, back)| Neighbours { first, second, link, back, at }));
                continue;
            }
            if there.cell_at(link).is_none_or(|(start, width, _)| start != link || width != len) {
                continue;
            }
            let here = self.pointer_at(state, first, at);
            let back = there
                .cells()
                .find(|&(offset, width, value)| {
                    let both =
                        state.memory.get(first).cell_at(offset).is_some_and(|(s, w, _)| (s, w) == (offset, width));
                    offset != link && width == len && value == here && both
                })
                .map(|(offset, _, _)| offset);
            // One of the two directions of a doubly linked list is enough.
            if back.is_none_or(|back| link < back) {
                found.push(Neighbours { first, second, link, back, at });
            }
        }
        found
    }

    /// Returns whether marks recur in the list from two neighbours on, so that dividing the list by them has no end.
    pub(crate) fn marks_alternate(&mut self, state: &State, all: &[Neighbours], from: Neighbours) -> bool {
        let mut counts: FxHashMap<Vec<(u64, i128)>, usize> = FxHashMap::default();
        let mut before = Vec::new();
        let mut seen = FxHashSet::default();
        let mut next = Some(from.first);
        while let Some(id) = next.filter(|&id| seen.insert(id)) {
            let marks = self.marks_of(state, id);
            if !marks.is_empty() && marks != before {
                let count = counts.entry(marks.clone()).or_default();
                *count += 1;
                // Two marks that both recur alternate as well.
                if *count >= MAX_MARK_RUNS || counts.values().filter(|&&count| count > 1).count() > 1 {
                    return true;
                }
            }
            before = marks;
            next = all.iter().find(|n| n.first == id && n.link == from.link).map(|n| n.second);
        }
        false
    }

    /// Returns the marks that a node holds, or that every node of a segment holds.
    fn marks_of(&mut self, state: &State, id: ObjectId) -> Vec<(u64, i128)> {
        let object = state.memory.get(id);
        let node = object.segment.as_ref().map_or(object, |segment| state.memory.get(segment.node));
        let mut found = Vec::new();
        for (at, _, value) in node.cells() {
            if let Some(bits) = state.path.value(&self.machine.terms, value) {
                let mark = signed(bits, self.machine.terms.width(value));
                if self.marks.contains(&mark) {
                    found.push((at, mark));
                }
            }
        }
        found
    }
}

/// Returns the possible offsets of the link and of the back link in the nodes of a list.
///
/// On the upper level of a skip list, several cells may lead to the next node.
pub(crate) fn link_offsets(state: &State, segment: &Segment) -> Vec<(u64, Option<u64>)> {
    let [link] = *segment.links else { return Vec::new() };
    let cells = || state.memory.get(segment.node).cells();
    let back = match segment.back_link {
        Some(variable) => match cells().find(|&(_, _, value)| value == variable) {
            Some((at, _, _)) => Some(at),
            None => return Vec::new(),
        },
        None => None,
    };
    cells().filter(|&(_, _, value)| value == link).map(|(at, _, _)| (at, back)).collect()
}

/// Returns whether two neighbours are part of a list.
///
/// A chain of objects from different allocation sites may also be a structure, a part that it owns, and a part of
/// that part. The chain is a list if an allocation site recurs or if the chain is long.
pub(crate) fn is_list(state: &State, all: &[Neighbours], pair: Neighbours) -> bool {
    let object = |id: ObjectId| state.memory.get(id);
    if object(pair.first).segment.is_some() || object(pair.second).segment.is_some() {
        return true;
    }
    let mut chain = vec![pair.first, pair.second];
    let along = || all.iter().filter(|n| n.link == pair.link);
    while chain.len() < LONG_CHAIN
        && let Some(next) = along().find(|n| chain.last() == Some(&n.first) && !chain.contains(&n.second))
    {
        chain.push(next.second);
    }
    while chain.len() < LONG_CHAIN
        && let Some(before) = along().find(|n| n.second == chain[0] && !chain.contains(&n.first))
    {
        chain.insert(0, before.first);
    }
    // The innermost frames matter: the function that creates the node, and its call of an allocation wrapper.
    let site = |id: ObjectId| object(id).born.iter().take(SITE_FRAMES);
    let again = |(index, &id): (usize, &ObjectId)| chain[..index].iter().any(|&other| site(other).eq(site(id)));
    chain.len() == LONG_CHAIN
        || chain.iter().any(|&id| object(id).segment.is_some())
        || chain.iter().enumerate().any(again)
}
