//! Calling contexts: a function is analysed once for each footprint that it is called on, up to renaming.
//!
//! The states at the return are reused wherever the function is called on a footprint that the context covers.
//! Recursion is a fixpoint: an inner call waits for the exit states of an outer one, and receives every exit state
//! that is found later.
//!
//! A *context* is a function with its entry state. The states of a context have only the frames of that call, and
//! they have their own program points. The beginning of a call, the entry of a context, its return and the
//! continuation of its callers are program points as well. The reachability loop therefore handles all states that
//! are covered by another state or replaced by a join.
//!
//! Invariant: every caller that waits for a context is combined with every exit state of it, in whichever order they
//! come.

use cairn_portfolio::Reason;
use std::rc::Rc;

use cairn_ir::{BlockId, FuncId, Loc};

use crate::Lattice;
use crate::Stage;
use crate::State;
use crate::calls::frame_rule::{Arguments, Caller};
use crate::calls::summary_policy;
use crate::join::pairing::Purpose;
use crate::limits::{FEW_CONTEXTS, MANY_CONTEXTS, MAX_CONTEXTS, MAX_STATES};
use crate::simplify::Folding;
use crate::{Prover, footprint};
use cairn_exec::planted;
use cairn_portfolio::calls::Calls;

use cairn_exec::reach::Bookkeeping;

/// The code that a context analyses: a function, or the loop with this head in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) function: FuncId,
    pub(crate) head: Option<BlockId>,
}

/// A region with its entry state, and with what is known about its callers and exits.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) region: Region,
    /// The state at the entry.
    pub(crate) entry: State,
    /// The context of the first call; 0 is the program itself.
    parent: u32,
    /// The rank of the context's states, which is that of the first call.
    rank: Vec<u32>,
    pub(crate) callers: Vec<Rc<Caller>>,
    exits: Vec<State>,
    /// The locations at which the context may end the program.
    ends: Vec<Loc>,
}

impl Prover<'_> {
    /// Returns whether calls of a function are, or may be, analysed apart from their callers.
    pub(crate) fn is_summarised(&self, function: FuncId) -> bool {
        let Some(callee) = summary_policy::info(&self.callees, function).filter(|callee| callee.separable) else {
            return false;
        };
        // Recorded states must be whole, with the frames and the heap of all callers.
        let whole = self.lattice.machine.mode.record.is_some();
        match self.calls {
            Calls::Auto => {
                self.is_recursive(function) || ((callee.frequent || callee.has_loop) && !self.follows && !whole)
            }
            Calls::Inline => false,
            Calls::Summaries => callee.recursive || !whole,
        }
    }

    /// Returns whether inlining calls that were analysed by summaries may give a more precise result.
    pub fn may_follow(&self) -> bool {
        let follows = |context: &Context| {
            let callee = summary_policy::info(&self.callees, context.region.function);
            callee.is_none_or(|callee| !callee.recursive || callee.by_pointer)
        };
        self.calls == Calls::Auto && self.contexts.iter().any(follows)
    }

    /// Returns the number of calling contexts, and the number of calls that reused one.
    pub fn summarised(&self) -> (u64, u64) {
        (self.contexts.len() as u64, self.reused)
    }

    /// Returns whether the states at the return of a function are joined like those at a loop head.
    ///
    /// When calls are inlined, functions that recur only through pointers are inlined too, up to the recursion limit.
    pub(crate) fn is_recursive(&self, function: FuncId) -> bool {
        summary_policy::info(&self.callees, function)
            .is_some_and(|callee| callee.recursive && !(self.follows && callee.by_pointer))
    }

    fn context(&self, number: u32) -> Option<&Context> {
        self.contexts.get((number as usize).checked_sub(1)?)
    }

    /// Returns the head of the loop that a state is analysed for, unless the state is in a call that the loop made.
    pub(crate) fn loop_of_context(&self, state: &State) -> Option<BlockId> {
        self.context(state.extra.context).filter(|_| state.frames.len() == 1)?.region.head
    }

    /// Returns the rank of the states of a context.
    pub(crate) fn rank_of_context(&self, number: u32) -> Vec<u32> {
        self.context(number).map_or_else(Vec::new, |context| context.rank.clone())
    }

    /// Returns the contexts of a function or a loop, the oldest first.
    fn contexts_of(&self, region: Region) -> impl DoubleEndedIterator<Item = &Context> {
        self.contexts.iter().filter(move |context| context.region == region)
    }

    /// Enters a call of a function that does not recur, without comparing the state with others first.
    pub(crate) fn enter_directly(&mut self, state: State, out: &mut Vec<State>) {
        // For a function that is called rarely, a summary pays off only if the caller has a heap that the call cannot
        // reach.
        if let Some(callee) = summary_policy::info(&self.callees, state.top().function)
            && self.calls == Calls::Auto
            && !callee.frequent
            && !self.lattice.split_call(state.clone(), &callee.globals, Arguments::InCut).1.holds_heap()
        {
            out.push(running(state));
            return;
        }
        let mut calling = Vec::new();
        self.lattice.simplify(state, Folding::Keep, &footprint::no_registers(), &mut calling);
        calling.into_iter().for_each(|state| self.enter(state, out));
    }

    /// Enters the innermost call of a state, which has just begun.
    ///
    /// The context of the call is found or created, and the caller continues with its known exit states. A call of a
    /// non-recursive function that has too many contexts is inlined instead.
    pub(crate) fn enter(&mut self, state: State, out: &mut Vec<State>) {
        let function = state.top().function;
        let mut rank = self.rank(&state);
        rank.pop();
        let parent = state.extra.context;
        let Some(callee) = summary_policy::info(&self.callees, function) else { return };
        let (recursive, globals) = (self.is_recursive(function), callee.globals.clone());
        let region = Region { function, head: None };
        let mut apart = state.clone();
        let hides = recursive && self.contexts_of(region).count() >= FEW_CONTEXTS;
        let hidden = if hides { self.lattice.hide_carried_pointers(&mut apart) } else { Vec::new() };
        let arguments = if recursive { Arguments::Unrelated } else { Arguments::InCut };
        let (entry, caller) = self.lattice.split_hiding(apart, &globals, arguments, &hidden);
        let caller = Rc::new(Caller { calling: state.clone(), ..caller });
        // Only the footprint is folded, because the caller's part belongs to no loop of the callee.
        let folding = Folding::when(recursive || self.contexts_of(region).count() >= FEW_CONTEXTS);
        let mut entries = Vec::new();
        self.lattice.simplify(entry, folding, &None, &mut entries);
        for entry in entries {
            if let Some(number) = self.context_for(entry, region, parent, &rank) {
                self.wait_for(number, &caller, out);
                continue;
            }
            if recursive {
                self.lattice.machine.gaps.insert(Reason::TooManyShapes("the entry of a function"));
            } else {
                out.push(running(state));
            }
            return;
        }
    }

    /// Returns the context whose entry covers a state, or creates one; returns `None` if there are too many.
    pub(crate) fn context_for(&mut self, entry: State, region: Region, parent: u32, rank: &[u32]) -> Option<u32> {
        if let Some(number) = self.find_context(&entry, region) {
            self.reused += 1;
            return Some(number);
        }
        if self.contexts_of(region).count() >= MAX_CONTEXTS {
            return None;
        }
        let number = self.contexts.len() as u32 + 1;
        let mut entry = self.widened(entry, region, parent);
        entry.extra.context = number;
        entry.extra.stage = Stage::Entered;
        let (callers, exits, ends) = (Vec::new(), Vec::new(), Vec::new());
        self.contexts.push(Context { region, entry, parent, rank: rank.to_vec(), callers, exits, ends });
        Some(number)
    }

    /// Lets a caller wait for a context, and continue with the exit states that are known so far.
    pub(crate) fn wait_for(&mut self, number: u32, caller: &Rc<Caller>, out: &mut Vec<State>) {
        let context = &mut self.contexts[number as usize - 1];
        // The reachability loop keeps the entry alive while one of its callers is needed.
        out.push(context.entry.clone());
        context.callers.push(Rc::clone(caller));
        let (exits, ends) = (context.exits.clone(), context.ends.clone());
        let known = planted!(48, exits.len(), exits.len().min(1));
        exits.iter().take(known).for_each(|exit| self.resume(caller, exit, out));
        ends.into_iter().filter(|_| planted!(49, true, false)).for_each(|loc| self.end_caller(caller, loc));
    }

    /// Returns a context whose entry covers a state.
    ///
    /// While there are few contexts and nothing recurs, the entry must have the same shape and constants, so that the
    /// summary is as precise as inlining. At a loop head, a covered state would not be followed further in any case.
    fn find_context(&mut self, entry: &State, region: Region) -> Option<u32> {
        let any = region.head.is_some()
            || self.is_recursive(region.function)
            || self.contexts_of(region).count() >= FEW_CONTEXTS;
        let lattice = &mut self.lattice;
        let found = self.contexts.iter().position(|context| {
            context.region == region
                && (any || lattice.have_same_shape(&context.entry, entry))
                && lattice
                    .pair_states(entry, &context.entry, Purpose::Cover)
                    .is_some_and(|p| planted!(47, lattice.is_covered_by(&p), true))
        })?;
        Some(found as u32 + 1)
    }

    /// Joins an entry state with that of another context of its region, where that is needed to get a finite set.
    ///
    /// The calls of a recursion form a loop. If a function is called on many different heaps, the join of two of them
    /// is general enough.
    fn widened(&mut self, entry: State, region: Region, parent: u32) -> State {
        let mut others = Vec::new();
        if self.is_recursive(region.function) {
            let mut number = parent;
            while let Some(context) = self.context(number) {
                if context.region == region {
                    others.push(context.entry.clone());
                }
                number = context.parent;
            }
        } else if self.contexts_of(region).count() >= MANY_CONTEXTS {
            others.extend(self.contexts_of(region).rev().map(|context| context.entry.clone()));
        }
        others.iter().find_map(|other| self.join(&entry, other)).unwrap_or(entry)
    }

    /// Continues all waiting callers with a state at the return of a context.
    pub(crate) fn leave(&mut self, exit: State, out: &mut Vec<State>) {
        let Some(index) = (exit.extra.context as usize).checked_sub(1) else { return };
        let context = &mut self.contexts[index];
        // States that were replaced by a join need not be combined any more.
        context.callers.retain(|caller| !self.replaced.contains(&caller.origin()));
        context.exits.retain(|exit| !self.replaced.contains(&exit.extra.origin));
        if context.exits.len() > MAX_STATES {
            self.lattice.machine.gaps.insert(Reason::TooManyShapes("the return of a function"));
        }
        context.exits.push(exit.clone());
        let waiting = planted!(50, context.callers.len(), context.callers.len().min(1));
        for caller in context.callers.clone().into_iter().take(waiting) {
            self.resume(&caller, &exit, out);
        }
    }

    /// Continues a caller with an exit state.
    ///
    /// States that return to the same program point are compared like those of branches.
    fn resume(&mut self, caller: &Caller, exit: &State, out: &mut Vec<State>) {
        let Some(state) = self.lattice.after_call(caller, exit) else { return };
        let folding = Folding::when(self.is_crowded(&state));
        let registers = self.loop_registers(&state);
        self.lattice.simplify(state, folding, &registers, out);
    }

    /// Records that a context may end the program, and checks the memory of all waiting callers.
    ///
    /// The callers still reach the objects that they lent, and the objects of their frames are unchanged.
    pub(crate) fn end_program(&mut self, number: u32, loc: Loc) {
        let Some(context) = (number as usize).checked_sub(1).and_then(|index| self.contexts.get_mut(index)) else {
            return;
        };
        if context.ends.contains(&loc) {
            return;
        }
        context.ends.push(loc);
        for caller in context.callers.clone() {
            self.end_caller(&caller, loc);
        }
    }

    fn end_caller(&mut self, caller: &Caller, loc: Loc) {
        if planted!(51, true, false) {
            self.lattice.check_frame_freed(caller, loc);
        }
        self.end_program(caller.context(), loc);
    }

    /// Forgets the callers and exit states of all contexts, so that all states can be stepped once more.
    pub fn forget_callers(&mut self) {
        for context in &mut self.contexts {
            context.callers.clear();
            context.exits.clear();
            context.ends.clear();
        }
    }
}

impl Lattice<'_> {
    /// Returns whether one state has the shape of another, with the same constants.
    fn have_same_shape(&mut self, one: &State, other: &State) -> bool {
        self.pair_states(one, other, Purpose::Cover).is_some_and(|pairing| pairing.equalities.is_empty())
    }
}

/// Returns a state that continues inside its call.
fn running(mut state: State) -> State {
    state.extra.stage = Stage::Running;
    state
}
