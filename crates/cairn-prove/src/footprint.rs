//! The footprint of a loop: the memory that the innermost loop around a state can access.
//!
//! It consists of everything that the loop's registers, the slots of its function and the globals lead to. Whether a
//! list outside the footprint is empty does not matter to the loop. Otherwise a nested loop would distinguish the
//! empty and the non-empty case of each list of the outer loops, and its states would double with every level. In
//! programs with many lists, they would double with every list.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::FxHashSet;

use crate::Lattice;
use crate::State;
use crate::limits::MANY_LISTS;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Object;

/// The registers that the innermost loop around a block reads or writes; `None` if all memory counts as accessed.
pub(crate) type LoopRegisters = Option<Rc<[bool]>>;
/// Returns the empty set of registers, for code that accesses nothing.
pub(crate) fn no_registers() -> LoopRegisters {
    Some(Rc::from([]))
}

/// Returns whether a state has too many lists to keep apart which of them are empty.
pub(crate) fn has_many_lists(state: &State) -> bool {
    let is_list = |object: &Object| {
        let live = object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern;
        live && object.segment.as_ref().is_some_and(|segment| segment.links.len() == 1)
    };
    state.memory.iter().filter(|(_, object)| is_list(object)).nth(MANY_LISTS - 1).is_some()
}

impl Lattice<'_> {
    /// Returns the objects that the loop with these registers can access; `None` if it may access all of them.
    pub(crate) fn footprint(&self, state: &State, registers: &LoopRegisters) -> Option<FxHashSet<ObjectId>> {
        let registers = registers.as_ref()?;
        if registers.is_empty() {
            return Some(FxHashSet::default());
        }
        let frame = state.frames.last()?;
        let mut accessed: FxHashSet<ObjectId> = FxHashSet::default();
        let mut waiting: Vec<ObjectId> = frame.slots.iter().flatten().chain(&frame.owned).copied().collect();
        let others = [ObjectKind::Heap, ObjectKind::Stack, ObjectKind::Alloca, ObjectKind::Variadic];
        waiting.extend(state.memory.iter().filter(|(_, object)| !others.contains(&object.kind)).map(|(id, _)| id));
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        for (value, _) in frame.regs.iter().zip(registers.iter()).filter(|&(_, &used)| used) {
            if let Some(value) = *value {
                self.mentioned(value, &mut seen, |id| waiting.push(id));
            }
        }
        while let Some(id) = waiting.pop() {
            let Some(object) = state.memory.find(id).filter(|object| object.end == End::Live) else { continue };
            if accessed.insert(id) {
                self.values_of(state, object, |value| self.mentioned(value, &mut seen, |id| waiting.push(id)));
            }
        }
        Some(accessed)
    }
}
