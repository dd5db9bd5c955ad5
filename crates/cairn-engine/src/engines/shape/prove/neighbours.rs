//! Which objects hang together as the nodes of a list do.
//!
//! Which cells are links is read off the heap: a cell of one object that points into another of the same size, where that
//! other one has a cell at the same offset to go on with. Where the other points back from a cell that both have, the list is doubly
//! linked.

use cairn_smt::Term;
use cairn_smt::term::signed;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Segment;

/// Objects in a row that are a list wherever they come from.
const LONG_ROW: usize = 10;

/// Places on the call stack, the innermost first, by which it is told where an object comes from.
const SITE: usize = 2;

/// Stretches of one list that hold the same marks, from which on the marks take turns and do not divide the list.
const MAX_TURNS: usize = 3;

/// Two neighbours and how they are linked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    pub(super) first: ObjectId,
    pub(super) second: ObjectId,
    /// The offset of the link in a node.
    pub(super) link: u64,
    /// The offset of the back link in a node.
    pub(super) back: Option<u64>,
    /// Where links point in a node.
    pub(super) at: u64,
}

impl Explorer<'_> {
    /// The neighbours that an object or segment has, by every cell that may be its link.
    pub(super) fn neighbours_of(&mut self, state: &State, first: ObjectId) -> Vec<Neighbours> {
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
            if 8 * len != self.pointer_bits {
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
            // Of the two directions of a doubly linked list one is enough.
            if back.is_none_or(|back| link < back) {
                found.push(Neighbours { first, second, link, back, at });
            }
        }
        found
    }

    /// Whether marks come again and again in what follows two neighbours, so that dividing the list by them has no end.
    pub(super) fn marks_take_turns(&mut self, state: &State, all: &[Neighbours], from: Neighbours) -> bool {
        let mut counts: FxHashMap<Vec<(u64, i128)>, usize> = FxHashMap::default();
        let mut before = Vec::new();
        let mut seen = FxHashSet::default();
        let mut next = Some(from.first);
        while let Some(id) = next.filter(|&id| seen.insert(id)) {
            let marks = self.marks_of(state, id);
            if !marks.is_empty() && marks != before {
                let count = counts.entry(marks.clone()).or_default();
                *count += 1;
                // Two that both come again take turns, too.
                if *count >= MAX_TURNS || counts.values().filter(|&&count| count > 1).count() > 1 {
                    return true;
                }
            }
            before = marks;
            next = all.iter().find(|n| n.first == id && n.link == from.link).map(|n| n.second);
        }
        false
    }

    /// The marks that a node holds, or every node of a segment.
    fn marks_of(&mut self, state: &State, id: ObjectId) -> Vec<(u64, i128)> {
        let object = state.memory.get(id);
        let node = object.segment.as_ref().map_or(object, |segment| state.memory.get(segment.node));
        let mut found = Vec::new();
        for (at, _, value) in node.cells() {
            if let Some(bits) = state.path.value(&self.terms, value) {
                let mark = signed(bits, self.terms.width(value));
                if self.marks.contains(&mark) {
                    found.push((at, mark));
                }
            }
        }
        found
    }
}

/// The offsets that may be those of the link and of the back link in the nodes of a list: on the upper level of a skip list several
/// cells may lead to the next node.
pub(super) fn link_offsets(state: &State, segment: &Segment) -> Vec<(u64, Option<u64>)> {
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

/// Whether two neighbours are part of a list. Objects that come from different places may be a thing and what it owns, and what that
/// owns in turn; where one place comes again, or where there is no end of them, they are a list.
pub(super) fn is_row(state: &State, all: &[Neighbours], pair: Neighbours) -> bool {
    let object = |id: ObjectId| state.memory.get(id);
    if object(pair.first).segment.is_some() || object(pair.second).segment.is_some() {
        return true;
    }
    let mut row = vec![pair.first, pair.second];
    let along = || all.iter().filter(|n| n.link == pair.link);
    while row.len() < LONG_ROW
        && let Some(next) = along().find(|n| row.last() == Some(&n.first) && !row.contains(&n.second))
    {
        row.push(next.second);
    }
    while row.len() < LONG_ROW
        && let Some(before) = along().find(|n| n.second == row[0] && !row.contains(&n.first))
    {
        row.insert(0, before.first);
    }
    // Where calls lead to one that makes a node, it is that one that matters, and where it calls an allocator of its own.
    let site = |id: ObjectId| object(id).born.iter().take(SITE);
    let again = |(index, &id): (usize, &ObjectId)| row[..index].iter().any(|&other| site(other).eq(site(id)));
    row.len() == LONG_ROW || row.iter().any(|&id| object(id).segment.is_some()) || row.iter().enumerate().any(again)
}
