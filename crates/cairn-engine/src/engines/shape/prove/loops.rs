//! Loops deep in others, analysed like calls: on the part of the heap that they can reach. A loop in loops would begin anew with each
//! state of those outside, and each of its states would hold what all of them have built. Taken by itself it has the lists that it works on,
//! which are the same whatever lies around it.
//!
//! A loop is a function of the registers that it reads or writes and of the slots of its frame; it is called where one comes to its head from
//! outside and returns where it is left.

use std::rc::Rc;

use cairn_ir::BlockId;

use super::contexts::Region;
use super::flow::Inner;
use super::{Prover, callgraph, touched};
use crate::calls::Calls;
use crate::engines::shape::state::{Stage, State};
use crate::reach::Domain;

impl Prover<'_> {
    /// The loop that a state has just entered, coming from a block of the same call, where that may be analysed apart.
    pub(super) fn loop_entered(&self, state: &State, from: BlockId) -> Option<Rc<Inner>> {
        let (flow, block) = self.block_of(state)?;
        let inner = flow.inner[block].as_ref().filter(|inner| !inner.inside[from.index()])?;
        let frame = state.top();
        let function = callgraph::of(&self.called, frame.function)?;
        let whole = self.explorer.record.is_some() || self.follows || self.calls == Calls::Inline;
        let alone = function.alone && !function.recursive && frame.variadic.is_none() && state.jumps.is_empty();
        (alone && !whole).then(|| Rc::clone(inner))
    }

    /// Whether a state has just left the loop that it is analysed for.
    pub(super) fn leaves_loop(&self, state: &State) -> bool {
        let Some(head) = self.loop_of_context(state).filter(|_| state.arrived) else { return false };
        let inner = self.flows.get(&state.top().function).and_then(|flow| flow.inner[head.index()].as_ref());
        inner.is_some_and(|inner| !inner.inside[state.top().block.index()])
    }

    /// Lets a state enter a loop: its context is found or made, and the state goes on with what that is known to end with. Where nothing
    /// lies beyond the loop, it is followed.
    pub(super) fn enter_loop(&mut self, state: State, inner: &Inner, out: &mut Vec<State>) {
        let region = Region { function: state.top().function, head: Some(state.top().block) };
        let Some(globals) = callgraph::of(&self.called, region.function).map(|callee| callee.globals.clone()) else {
            return;
        };
        let mut waiting = Vec::new();
        self.explorer.clean(state, false, &touched::nothing(), &mut waiting);
        for state in waiting {
            let mut rank = self.rank(&state);
            rank.pop();
            let (entry, caller) = self.explorer.split_loop(state.clone(), &globals, inner);
            if !caller.holds_heap() {
                self.arrive_at_head(state, out);
                continue;
            }
            let caller = Rc::new(caller);
            let mut entries = Vec::new();
            self.explorer.clean(entry, true, &None, &mut entries);
            for entry in entries {
                let Some(number) = self.context_for(entry, region, state.context, &rank) else {
                    self.arrive_at_head(state, out);
                    break;
                };
                self.wait_for(number, &caller, out);
            }
        }
    }

    /// Lets a state arrive at the head of the loop that it is to be in.
    pub(super) fn arrive_at_head(&mut self, mut state: State, out: &mut Vec<State>) {
        (state.stage, state.arrived) = (Stage::Running, true);
        let registers = self.loop_registers(&state);
        self.explorer.clean(state, true, &registers, out);
    }

    /// Lets a state go on that has just come out of a loop which was analysed apart.
    pub(super) fn arrive_after_loop(&mut self, mut state: State, out: &mut Vec<State>) {
        (state.stage, state.arrived) = (Stage::Running, true);
        let (depth, block) = (state.frames.len(), state.top().block);
        self.go_on(vec![state], (depth, block), out);
    }
}
