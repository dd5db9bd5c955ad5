//! What is still reachable: the mark phase behind `leak` and `unfreed` (papers: slcpa, appendix A.1; cycles need no care here,
//! since every object is visited once).

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_smt::Term;
use rustc_hash::FxHashSet;

use super::Explorer;
use super::state::State;
use crate::liveness::Liveness;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;

impl Explorer<'_> {
    /// Reports the heap objects that are still there when the program ends: `leak` where nothing points to them. The frames that
    /// are still active count as pointing.
    pub(super) fn check_end(&mut self, state: &State, loc: Loc) {
        let heap: Vec<ObjectId> = state
            .memory
            .iter()
            .filter(|(_, o)| o.kind == ObjectKind::Heap && o.end == End::Live)
            .map(|(id, _)| id)
            .collect();
        if heap.is_empty() {
            return;
        }
        let reachable = self.reachable(state);
        if heap.iter().any(|id| !reachable.contains(id)) {
            self.report(state, CheckKind::Leak, Checks::NONE, loc);
        }
        self.report(state, CheckKind::Unfreed, Checks::NONE, loc);
    }

    /// Reports a leak when some live heap object can't be reached any more.
    pub(super) fn check_lost(&mut self, state: &State, loc: Loc) -> bool {
        let live = |o: &crate::memory::symbolic::Object| o.kind == ObjectKind::Heap && o.end == End::Live;
        if !state.memory.iter().any(|(_, o)| live(o)) {
            return false;
        }
        let reachable = self.reachable(state);
        let lost = state.memory.iter().any(|(id, o)| live(o) && !reachable.contains(&id));
        if lost {
            self.report(state, CheckKind::Leak, Checks::NONE, loc);
        }
        lost
    }

    fn reachable(&mut self, state: &State) -> FxHashSet<ObjectId> {
        let mut reached = FxHashSet::default();
        let mut waiting = Vec::new();
        let mut seen = FxHashSet::default();
        for (id, object) in state.memory.iter() {
            if object.end == End::Live && object.kind != ObjectKind::Heap {
                waiting.push(id);
                reached.insert(id);
            }
        }
        for frame in &state.frames {
            // Variables count; of the temporaries those that are still needed.
            let Some(body) = &self.program.functions[frame.function.index()].body else { continue };
            let liveness = self.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            let live = liveness.before(body, frame.block.index(), frame.inst);
            for (index, value) in frame.regs.iter().enumerate() {
                if let Some(value) = *value
                    && (live[index] || body.regs[index].name.is_some())
                {
                    self.mark(value, &mut seen, &mut reached, &mut waiting);
                }
            }
        }
        while let Some(id) = waiting.pop() {
            for value in state.memory.get(id).values() {
                self.mark(value, &mut seen, &mut reached, &mut waiting);
            }
        }
        reached
    }

    /// Marks every object whose address a value mentions.
    fn mark(
        &self,
        value: Term,
        seen: &mut FxHashSet<Term>,
        reached: &mut FxHashSet<ObjectId>,
        waiting: &mut Vec<ObjectId>,
    ) {
        let mut stack = vec![value];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(&id) = self.bases.get(&term) {
                if reached.insert(id) {
                    waiting.push(id);
                }
                continue;
            }
            self.terms.for_operands(term, |operand| stack.push(operand));
        }
    }
}
