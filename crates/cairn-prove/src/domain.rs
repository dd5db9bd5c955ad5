//! The domain of the reachability loop: transfer, merge and covering of the prover's states.

use cairn_portfolio::Reason;
use std::rc::Rc;

use cairn_exec::reach::{Bookkeeping, Domain, Merge};
use cairn_exec::state::Frame;
use cairn_memory::object::{End, ObjectKind};

use crate::fold::skip_levels::is_lower_level;
use crate::join::pairing::Purpose;
use crate::limits::{
    CROWDED_STATES, MAX_BRANCH_STATES, MAX_DANGLING_STATES, MAX_EMPTY_LIST_STATES, MAX_FRAME_LIST_STATES,
    MAX_MARK_HEAP_STATES, MAX_MARK_STATES, MAX_SINGLE_NODE_STATES, MAX_STATES,
};
use crate::prover::{Place, Prover};
use crate::proving::{Stage, State};

impl Domain for Prover<'_> {
    type State = State;
    type Place = Place;
    fn entry(&mut self) -> Vec<State> {
        self.lattice.start()
    }

    fn transfer(&mut self, mut state: State, out: &mut Vec<State>) {
        self.lattice.machine.steps += 1;
        match state.extra.stage {
            Stage::Running => {}
            Stage::Resumed if state.top().inst == 0 => return self.arrive_after_loop(state, out),
            Stage::Entered if self.loop_of_context(&state).is_some() => return self.arrive_at_head(state, out),
            Stage::Entered | Stage::Resumed => state.extra.stage = Stage::Running,
            Stage::Calling => return self.enter(state, out),
            Stage::Returned => return self.leave(state, out),
        }
        let from = (state.frames.len(), state.top().block);
        let mut next = Vec::new();
        self.lattice.run_block(state, &mut next);
        for (context, loc) in std::mem::take(&mut self.lattice.machine.mode.ended) {
            self.end_program(context, loc);
        }
        self.proceed(next, from, out);
    }

    fn merge(&mut self, new: &State, old: &State, known: usize) -> Merge<State> {
        if known > MAX_STATES {
            self.lattice.machine.gaps.insert(Reason::TooManyShapes("a loop"));
        }
        // Where branches meet, states stay apart as long as they are few.
        let head = match new.extra.stage {
            Stage::Running => self.is_head(new),
            Stage::Calling | Stage::Resumed => false,
            Stage::Entered => return Merge::Apart,
            Stage::Returned => self.is_recursive(new.top().function),
        };
        if known < MAX_BRANCH_STATES && !head {
            return Merge::Apart;
        }
        if known > CROWDED_STATES && !head {
            self.crowded.extend(self.place(new));
        }
        // The result has the segments of one of the two states: those of the old one or, failing that, of the new
        // one.
        let mut turned = new.clone();
        turned.extra.joins = old.extra.joins;
        let pairing = self.lattice.pair_states(new, old, Purpose::Join);
        let pairing = pairing.or_else(|| self.lattice.pair_states(old, &turned, Purpose::Join));
        let Some(pairing) = pairing else { return Merge::Apart };
        // Whether a lower level of a skip list has nodes is decided where the program accesses it.
        let segments = pairing.absent.iter().copied().filter(|&id| pairing.old.memory.get(id).segment.is_some());
        let accessed = self.lattice.footprint(pairing.old, &self.loop_registers(pairing.old));
        let (mut empty, mut beyond) = (false, false);
        for id in segments {
            if !is_lower_level(&mut self.lattice, pairing.old, id) && !self.lattice.is_in_table(pairing.old, id) {
                let is_accessed = accessed.as_ref().is_none_or(|accessed| accessed.contains(&id));
                empty |= is_accessed;
                beyond |= !is_accessed;
            }
        }
        if beyond && known < MAX_FRAME_LIST_STATES {
            return Merge::Apart;
        }
        if (pairing.segments.met && known < MAX_SINGLE_NODE_STATES)
            || (empty && known < MAX_EMPTY_LIST_STATES)
            || (pairing.dangling && known < MAX_DANGLING_STATES)
        {
            return Merge::Apart;
        }
        // Marks on the heap are part of its shape.
        let limit = match (has_heap(new), head) {
            (true, _) => MAX_MARK_HEAP_STATES,
            (false, true) => MAX_MARK_STATES,
            (false, false) => 0,
        };
        if known < limit && pairing.differences.iter().any(|&difference| self.lattice.is_mark(difference)) {
            return Merge::Apart;
        }
        Merge::Into(self.joined(pairing))
    }

    fn stop(&mut self, new: &State, reached: &[State]) -> bool {
        // A context has only one entry state, whoever calls it.
        if new.extra.stage == Stage::Entered {
            return !reached.is_empty();
        }
        reached.iter().any(|old| {
            let pairing = self.lattice.pair_states(new, old, Purpose::Cover);
            pairing.is_some_and(|pairing| self.lattice.is_covered_by(&pairing))
        })
    }

    fn done(&self) -> bool {
        // When states are recorded, those after an alarm are recorded too.
        let alarms = &self.lattice.machine.mode.alarms;
        let ends = if self.goes_on { !alarms.follows_all_executions() } else { !alarms.found.is_empty() };
        (ends && self.lattice.machine.mode.record.is_none()) || !self.lattice.machine.gaps.is_empty()
    }
}

impl Bookkeeping for Prover<'_> {
    fn place(&self, state: &State) -> Option<Place> {
        let at = |frame: &Rc<Frame>| (frame.function, frame.block, frame.inst);
        self.is_compared(state).then(|| (state.extra.context, state.extra.stage, state.frames.iter().map(at).collect()))
    }

    fn number(&self, state: &mut State, number: u64) {
        state.extra.origin = number;
    }

    fn origins(&self, state: &State) -> Option<(u64, u64)> {
        // The state after a call originates from the caller's state and from the exit state.
        (state.extra.stage == Stage::Resumed).then_some((state.extra.origin, state.extra.returned))
    }

    fn replaced(&mut self, number: u64) {
        self.replaced.insert(number);
    }

    fn rank(&self, state: &State) -> Vec<u32> {
        let mut rank = self.rank_of_context(state.extra.context);
        for frame in &state.frames {
            let block = self.flows.get(&frame.function).map_or(0, |flow| flow.rank[frame.block.index()]);
            rank.extend([block, frame.inst as u32]);
        }
        // The states of a callee come before those after the call.
        rank.push(u32::MAX);
        rank
    }

    fn effort(&mut self) -> u64 {
        // Queries of joins and covering checks dominate the cost of a step.
        let before = std::mem::replace(&mut self.queries_before, self.lattice.statistics().queries);
        1 + self.queries_before - before
    }
}

/// Returns whether a state has a live heap object.
fn has_heap(state: &State) -> bool {
    state.memory.iter().any(|(_, object)| object.kind == ObjectKind::Heap && object.end == End::Live)
}
