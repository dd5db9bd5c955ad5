//! Tables: objects with many cells side by side that each lead to a list, or to none, such as the buckets of a hash table.
//!
//! Which of these lists have nodes is no part of the shape: there would be as many shapes as there are sets of buckets. So where nodes are
//! folded, every such cell is made to lead to a list, which may have one node or none; this says the same. Whether the list
//! has nodes is asked where the program looks at it.

use cairn_smt::Term;

use super::fit::Wish;
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;
use crate::memory::symbolic::Object;

/// Cells side by side that are a table.
const FEWEST_CELLS: usize = 4;

/// Cells of one object that are looked at.
const MOST_CELLS: u64 = 64;

/// What a cell of a table leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Nothing,
    Node,
    List(ObjectId),
}

impl Explorer<'_> {
    /// Lets all cells of all tables lead to lists. The state says the same as before.
    pub(super) fn complete_tables(&mut self, mut state: State) -> State {
        let ids: Vec<ObjectId> = state.memory.iter().map(|(id, _)| id).collect();
        for id in ids {
            let entries = self.table(&state, id);
            if entries.iter().any(|entry| entry.1 != Entry::Nothing)
                && entries.iter().any(|entry| !matches!(entry.1, Entry::List(_)))
                && let Some(complete) = self.complete_table(&state, id, &entries)
            {
                state = complete;
            }
        }
        state
    }

    /// Whether a list is one of those that a table leads to.
    pub(super) fn is_in_table(&mut self, state: &State, list: ObjectId) -> bool {
        let Some(at) = state.memory.get(list).segment.as_ref().map(|segment| segment.at) else { return false };
        let pointer = self.pointer_at(state, list, at);
        let holders: Vec<ObjectId> = state
            .memory
            .iter()
            .filter(|(_, object)| object.end == End::Live && object.cells().any(|cell| cell.2 == pointer))
            .map(|(id, _)| id)
            .collect();
        holders.into_iter().any(|id| self.table(state, id).iter().any(|entry| entry.1 == Entry::List(list)))
    }

    /// Whether there is a table whose cells lead to lists.
    pub(super) fn has_table(&mut self, state: &State) -> bool {
        let lists = |object: &Object| object.segment.is_some() && !object.pattern;
        if !state.memory.iter().any(|(_, object)| lists(object)) {
            return false;
        }
        let ids: Vec<ObjectId> = state.memory.iter().map(|(id, _)| id).collect();
        ids.into_iter().any(|id| self.table(state, id).iter().any(|entry| matches!(entry.1, Entry::List(_))))
    }

    fn complete_table(&mut self, state: &State, id: ObjectId, entries: &[(u64, Entry)]) -> Option<State> {
        let null = self.terms.constant(0, self.pointer_bits);
        let mut state = state.clone();
        let list = entries.iter().find_map(|entry| if let Entry::List(list) = entry.1 { Some(list) } else { None });
        let like = match list {
            Some(list) => list,
            None => {
                let &(at, _) = entries.iter().find(|entry| entry.1 == Entry::Node)?;
                state = self.grant(&state, Wish::Alone(id, at, null))?;
                let (_, entry) = self.table(&state, id).into_iter().find(|entry| entry.0 == at)?;
                let Entry::List(list) = entry else { return None };
                list
            }
        };
        for (at, entry) in self.table(&state, id) {
            let wish = match entry {
                Entry::List(_) => continue,
                Entry::Node => Wish::Single(id, at, like),
                Entry::Nothing => {
                    state.memory.get_mut(id).write(at, null, &mut self.terms);
                    Wish::Empty(id, at, like)
                }
            };
            if let Some(granted) = self.grant(&state, wish) {
                state = granted;
            }
        }
        Some(state)
    }

    /// The cells of an object that lie side by side and hold null or lead to a list of nodes of another kind; none, where these are few.
    fn table(&mut self, state: &State, id: ObjectId) -> Vec<(u64, Entry)> {
        let object = state.memory.get(id);
        let bytes = u64::from(self.pointer_bits / 8);
        let size = self.terms.as_const(object.size).map_or(0, |size| u64::try_from(size).unwrap_or(u64::MAX));
        let whole = object.end == End::Live && object.kind.is_data() && !object.pattern && object.segment.is_none();
        if !whole || object.constant || size < bytes * FEWEST_CELLS as u64 || object.cell_count() == 0 {
            return Vec::new();
        }
        let (mut run, mut longest) = (Vec::new(), Vec::new());
        for at in (0..size / bytes).take(MOST_CELLS as usize).map(|index| index * bytes) {
            match self.entry(state, id, at) {
                Some(entry) => run.push((at, entry)),
                None => run.clear(),
            }
            if run.len() > longest.len() {
                longest.clone_from(&run);
            }
        }
        if longest.len() < FEWEST_CELLS { Vec::new() } else { longest }
    }

    fn entry(&mut self, state: &State, id: ObjectId, at: u64) -> Option<Entry> {
        let object = state.memory.get(id);
        let bytes = self.pointer_bits / 8;
        let value: Term = match object.cell_at(at) {
            Some((start, len, value)) => ((start, len) == (at, bytes)).then_some(value)?,
            None => {
                let empty = (at..at + u64::from(bytes)).all(|byte| object.cell_at(byte).is_none());
                object.known_initial(at, bytes, &mut self.terms).filter(|_| empty)?
            }
        };
        match self.target(state, value) {
            Target::Constant(0) => Some(Entry::Nothing),
            Target::Object(node, _) => {
                let (node, holder) = (state.memory.get(node), state.memory.get(id));
                let apart = node.kind == ObjectKind::Heap && node.end == End::Live && node.size != holder.size;
                apart.then_some(Entry::Node)
            }
            Target::Segment(list, Side::First, _) => {
                let segment = state.memory.get(list).segment.as_ref()?;
                let plain = segment.links.len() == 1 && segment.back.is_none() && segment.fork.is_none();
                (plain && state.memory.get(list).size != object.size).then_some(Entry::List(list))
            }
            _ => None,
        }
    }
}
