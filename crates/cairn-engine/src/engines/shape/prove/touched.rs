//! What the innermost loop around a state can look at or change: all that its registers, the slots of its function and the
//! globals lead to. Whether a list beyond that has nodes is no question there. Loops in loops would tell apart each list of each loop
//! outside that is empty from one that is not, and their states would double with every level. So would those of programs that have
//! many lists at once, with every list.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::FxHashSet;

use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::Object;

/// The registers that the innermost loop around a block reads or writes; `None` where everything counts as touched.
pub(super) type LoopRegisters = Option<Rc<[bool]>>;

/// Lists from which on a state has many.
const MANY_LISTS: usize = 4;

/// No registers at all, where nothing is looked at.
pub(super) fn nothing() -> LoopRegisters {
    Some(Rc::from([]))
}

/// Whether a state has so many lists that to tell apart which of them are empty takes too many states.
pub(super) fn has_many_lists(state: &State) -> bool {
    let is_list = |object: &Object| {
        let live = object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern;
        live && object.segment.as_ref().is_some_and(|segment| segment.links.len() == 1)
    };
    state.memory.iter().filter(|(_, object)| is_list(object)).nth(MANY_LISTS - 1).is_some()
}

impl Explorer<'_> {
    /// The objects that the loop with these registers can touch; `None` where nothing is beyond it.
    pub(super) fn touched(&self, state: &State, registers: &LoopRegisters) -> Option<FxHashSet<ObjectId>> {
        let registers = registers.as_ref()?;
        if registers.is_empty() {
            return Some(FxHashSet::default());
        }
        let frame = state.frames.last()?;
        let mut touched: FxHashSet<ObjectId> = FxHashSet::default();
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
            if touched.insert(id) {
                self.values_of(state, object, |value| self.mentioned(value, &mut seen, |id| waiting.push(id)));
            }
        }
        Some(touched)
    }
}
