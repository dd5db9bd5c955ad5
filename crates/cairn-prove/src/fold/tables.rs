//! Tables: arrays of pointers to lists, such as the buckets of a hash table.
//!
//! The set of non-empty lists must not be part of the shape, because there would be as many shapes as sets of
//! buckets. Folding therefore makes every cell of a table point to a list segment, which may have one node or none.
//! The state stays equivalent. Whether a list has nodes is decided where the program accesses it.

use cairn_smt::Term;

use crate::Lattice;
use crate::State;
use crate::fold::normalise::Rewrite;
use crate::limits::{MAX_TABLE_CELLS, MIN_TABLE_CELLS};
use cairn_exec::allocation::Target;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;
use cairn_memory::symbolic::Object;
/// The target of a table's cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Nothing,
    Node,
    List(ObjectId),
}

impl Lattice<'_> {
    /// Makes all cells of all tables point to list segments. The result is equivalent to the state.
    pub(crate) fn complete_tables(&mut self, mut state: State) -> State {
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

    /// Returns whether a cell of a table points to a list.
    pub(crate) fn is_in_table(&mut self, state: &State, list: ObjectId) -> bool {
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

    /// Returns whether some table has a cell that points to a list segment.
    pub(crate) fn has_table(&mut self, state: &State) -> bool {
        let lists = |object: &Object| object.segment.is_some() && !object.pattern;
        if !state.memory.iter().any(|(_, object)| lists(object)) {
            return false;
        }
        let ids: Vec<ObjectId> = state.memory.iter().map(|(id, _)| id).collect();
        ids.into_iter().any(|id| self.table(state, id).iter().any(|entry| matches!(entry.1, Entry::List(_))))
    }

    fn complete_table(&mut self, state: &State, id: ObjectId, entries: &[(u64, Entry)]) -> Option<State> {
        let null = self.machine.terms.constant(0, self.machine.pointer_bits);
        let mut state = state.clone();
        let list = entries.iter().find_map(|entry| if let Entry::List(list) = entry.1 { Some(list) } else { None });
        let like = match list {
            Some(list) => list,
            None => {
                let &(at, _) = entries.iter().find(|entry| entry.1 == Entry::Node)?;
                state = self.apply_rewrite(&state, Rewrite::SingleNodeWithEnd(id, at, null))?;
                let (_, entry) = self.table(&state, id).into_iter().find(|entry| entry.0 == at)?;
                let Entry::List(list) = entry else { return None };
                list
            }
        };
        for (at, entry) in self.table(&state, id) {
            let rewrite = match entry {
                Entry::List(_) => continue,
                Entry::Node => Rewrite::SingleNode(id, at, like),
                Entry::Nothing => {
                    state.memory.get_mut(id).write(at, null, &mut self.machine.terms);
                    Rewrite::EmptySegment(id, at, like)
                }
            };
            if let Some(rewritten) = self.apply_rewrite(&state, rewrite) {
                state = rewritten;
            }
        }
        Some(state)
    }

    /// Returns the longest range of adjacent cells that hold null or point to nodes of another size.
    ///
    /// Returns nothing if that range is too short for a table.
    fn table(&mut self, state: &State, id: ObjectId) -> Vec<(u64, Entry)> {
        let object = state.memory.get(id);
        let bytes = u64::from(self.machine.pointer_bits / 8);
        let size = self.machine.terms.as_const(object.size).map_or(0, |size| u64::try_from(size).unwrap_or(u64::MAX));
        let whole = object.end == End::Live && object.kind.is_data() && !object.pattern && object.segment.is_none();
        if !whole || object.constant || size < bytes * MIN_TABLE_CELLS as u64 || object.cell_count() == 0 {
            return Vec::new();
        }
        let (mut run, mut longest) = (Vec::new(), Vec::new());
        for at in (0..size / bytes).take(MAX_TABLE_CELLS as usize).map(|index| index * bytes) {
            match self.entry(state, id, at) {
                Some(entry) => run.push((at, entry)),
                None => run.clear(),
            }
            if run.len() > longest.len() {
                longest.clone_from(&run);
            }
        }
        if longest.len() < MIN_TABLE_CELLS { Vec::new() } else { longest }
    }

    fn entry(&mut self, state: &State, id: ObjectId, at: u64) -> Option<Entry> {
        let object = state.memory.get(id);
        let bytes = self.machine.pointer_bits / 8;
        let value: Term = match object.cell_at(at) {
            Some((start, len, value)) => ((start, len) == (at, bytes)).then_some(value)?,
            None => {
                let empty = (at..at + u64::from(bytes)).all(|byte| object.cell_at(byte).is_none());
                object.known_initial(at, bytes, &mut self.machine.terms).filter(|_| empty)?
            }
        };
        match self.any_target(state, value) {
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
