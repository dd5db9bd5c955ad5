//! Loop contexts: a deeply nested loop is analysed like a call, on its footprint.
//!
//! Otherwise the inner loop would be analysed again for every state of the outer loops, and each of its states would
//! carry everything that these have built. Its own footprint holds only the lists that it works on, whatever
//! surrounds them.
//!
//! A loop is a function of the registers that it reads or writes and of the slots of its frame. It is called where
//! control enters its head from outside, and it returns where control leaves the loop.

use std::rc::Rc;

use cairn_ir::BlockId;

use crate::Stage;
use crate::State;
use crate::calls::contexts::Region;
use crate::calls::summary_policy;
use crate::control_flow::NestedLoop;
use crate::simplify::Folding;
use crate::{Prover, footprint};
use cairn_portfolio::calls::Calls;

use cairn_exec::reach::Bookkeeping;

impl Prover<'_> {
    /// Returns the loop that a state has just entered from another block of the same call, if it may have a context.
    pub(crate) fn loop_entered(&self, state: &State, from: BlockId) -> Option<Rc<NestedLoop>> {
        let (flow, block) = self.block_of(state)?;
        let inner = flow.nested[block].as_ref().filter(|inner| !inner.inside[from.index()])?;
        let frame = state.top();
        let function = summary_policy::info(&self.callees, frame.function)?;
        let whole = self.lattice.machine.mode.record.is_some() || self.follows || self.calls == Calls::Inline;
        let separable = function.separable && !function.recursive && frame.variadic.is_none() && state.jumps.is_empty();
        (separable && !whole).then(|| Rc::clone(inner))
    }

    /// Returns whether a state has just left the loop that it is analysed for.
    pub(crate) fn leaves_loop(&self, state: &State) -> bool {
        let Some(head) = self.loop_of_context(state).filter(|_| state.arrived) else { return false };
        let inner = self.flows.get(&state.top().function).and_then(|flow| flow.nested[head.index()].as_ref());
        inner.is_some_and(|inner| !inner.inside[state.top().block.index()])
    }

    /// Enters a loop: finds or creates its context and continues with the known exit states.
    ///
    /// If the frame has no heap object, the loop is analysed in place.
    pub(crate) fn enter_loop(&mut self, state: State, inner: &NestedLoop, out: &mut Vec<State>) {
        let region = Region { function: state.top().function, head: Some(state.top().block) };
        let Some(globals) = summary_policy::info(&self.callees, region.function).map(|callee| callee.globals.clone())
        else {
            return;
        };
        let mut waiting = Vec::new();
        self.lattice.simplify(state, Folding::Keep, &footprint::no_registers(), &mut waiting);
        for state in waiting {
            let mut rank = self.rank(&state);
            rank.pop();
            let (entry, caller) = self.lattice.split_loop(state.clone(), &globals, inner);
            if !caller.holds_heap() {
                self.arrive_at_head(state, out);
                continue;
            }
            let caller = Rc::new(caller);
            let mut entries = Vec::new();
            self.lattice.simplify(entry, Folding::Fold, &None, &mut entries);
            for entry in entries {
                let Some(number) = self.context_for(entry, region, state.extra.context, &rank) else {
                    self.arrive_at_head(state, out);
                    break;
                };
                self.wait_for(number, &caller, out);
            }
        }
    }

    /// Continues a state at the head of the loop that it enters.
    pub(crate) fn arrive_at_head(&mut self, mut state: State, out: &mut Vec<State>) {
        (state.extra.stage, state.arrived) = (Stage::Running, true);
        let registers = self.loop_registers(&state);
        self.lattice.simplify(state, Folding::Fold, &registers, out);
    }

    /// Continues a state that has just returned from a loop context.
    pub(crate) fn arrive_after_loop(&mut self, mut state: State, out: &mut Vec<State>) {
        (state.extra.stage, state.arrived) = (Stage::Running, true);
        let (depth, block) = (state.frames.len(), state.top().block);
        self.proceed(vec![state], (depth, block), out);
    }
}
