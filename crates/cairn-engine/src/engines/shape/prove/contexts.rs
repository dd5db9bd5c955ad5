//! Calls by summary: a function is analysed once for each part of the heap that it is called on, up to names, and what it returns
//! with is used again wherever it is called on a part that this one covers. Recursion is a fixpoint: a call inside waits for what the
//! call outside has to offer, and is told of everything that comes later.
//!
//! A *context* is a function with the state that it is entered with. States of a context have their own frames only, and places of
//! their own. Where a call begins, where a context is entered and where it returns are places, too: so whatever is dropped because
//! another state covers it, or replaced because it was joined, the loop that owns the states takes care of.
//!
//! Invariant: every caller that waits for a context meets every state at its return, whichever comes first.

use std::rc::Rc;

use cairn_ir::{FuncId, Loc};

use super::callgraph;
use super::pair::Purpose;
use super::split::Caller;
use super::{MAX_STATES, Prover, Summaries};
use crate::engines::shape::state::{Stage, State};
use crate::reach::Domain;

/// Contexts of one function beyond which there is no hope.
const MAX_CONTEXTS: usize = 48;

/// Contexts of one function that does not recur, from which on its calls are followed one by one.
const MANY_CONTEXTS: usize = 12;

/// Calls of one function with loops from which on it is worth while to analyse it apart from them: few are followed at less cost than it
/// takes to tell the heaps apart that they are made on.
const MANY_SITES: usize = 4;

/// A function with what it is called on.
#[derive(Debug)]
pub(super) struct Context {
    function: FuncId,
    /// The state that it is entered with.
    entry: State,
    /// The context that called it first; 0 is the program.
    parent: u32,
    /// Where its states stand among all others: where the call is that came first.
    rank: Vec<u32>,
    callers: Vec<Rc<Caller>>,
    exits: Vec<State>,
    /// Where it may end the program.
    ends: Vec<Loc>,
}

impl Prover<'_> {
    /// Whether calls of a function are analysed apart from their callers.
    pub(super) fn is_summarised(&self, function: FuncId) -> bool {
        let Some(calls) = callgraph::of(&self.calls, function).filter(|calls| calls.alone) else { return false };
        let wanted = match self.summaries {
            Summaries::Always => true,
            Summaries::Shared => calls.loops && calls.sites >= MANY_SITES,
            Summaries::Never => false,
        };
        // Whoever looks at the states wants to see them whole.
        calls.recursive || (wanted && self.explorer.record.is_none())
    }

    /// How many calls were analysed apart from their callers, and how many calls found what they return with.
    pub fn summarised(&self) -> (u64, u64) {
        (self.contexts.len() as u64, self.reused)
    }

    /// Whether the states at the return of a function are joined like those at the head of a loop.
    pub(super) fn is_recursive(&self, function: FuncId) -> bool {
        callgraph::of(&self.calls, function).is_some_and(|calls| calls.recursive)
    }

    fn context(&self, number: u32) -> Option<&Context> {
        self.contexts.get((number as usize).checked_sub(1)?)
    }

    /// The rank of the states of a context.
    pub(super) fn rank_of_context(&self, number: u32) -> Vec<u32> {
        self.context(number).map_or_else(Vec::new, |context| context.rank.clone())
    }

    /// Lets a state enter a call of a function that does not recur. It is compared with no other state before.
    pub(super) fn enter_now(&mut self, mut state: State, out: &mut Vec<State>) {
        let function = state.top().function;
        if self.contexts.iter().filter(|context| context.function == function).count() >= MANY_CONTEXTS {
            state.stage = Stage::Running;
            out.push(state);
            return;
        }
        let mut calling = Vec::new();
        self.explorer.clean(state, false, &None, &mut calling);
        calling.into_iter().for_each(|state| self.enter(state, out));
    }

    /// Steps a state whose innermost call has just begun: the call's context is found or made, and what it is known to return with
    /// goes on.
    pub(super) fn enter(&mut self, state: State, out: &mut Vec<State>) {
        let function = state.top().function;
        let mut rank = self.rank(&state);
        rank.pop();
        let parent = state.context;
        let Some(calls) = callgraph::of(&self.calls, function) else { return };
        let recursive = calls.recursive;
        let (entry, caller) = self.explorer.split_call(state, &calls.globals);
        let caller = Rc::new(caller);
        // The callee's part alone is folded: what its caller holds is no part of any loop.
        let mut entries = Vec::new();
        self.explorer.clean(entry, recursive, &None, &mut entries);
        for entry in entries {
            self.wait_for(entry, &caller, parent, &rank, out);
        }
    }

    /// Lets a caller wait for the context that a state is the entry of.
    fn wait_for(&mut self, entry: State, caller: &Rc<Caller>, parent: u32, rank: &[u32], out: &mut Vec<State>) {
        let function = entry.top().function;
        let number = match self.find_context(&entry) {
            Some(number) => {
                self.reused += 1;
                number
            }
            None => {
                let known = self.contexts.iter().filter(|context| context.function == function).count();
                if known >= MAX_CONTEXTS {
                    self.explorer.gaps.insert("a function is called on too many different heaps".to_owned());
                    return;
                }
                let number = self.contexts.len() as u32 + 1;
                let mut entry = self.widened(entry, parent);
                entry.context = number;
                entry.stage = Stage::Entered;
                out.push(entry.clone());
                let (callers, exits, ends) = (Vec::new(), Vec::new(), Vec::new());
                self.contexts.push(Context { function, entry, parent, rank: rank.to_vec(), callers, exits, ends });
                number
            }
        };
        let context = &mut self.contexts[number as usize - 1];
        for exit in &context.exits {
            out.extend(self.explorer.after_call(caller, exit));
        }
        context.callers.push(Rc::clone(caller));
        for loc in context.ends.clone() {
            self.end_caller(caller, loc);
        }
    }

    /// A context that covers a state at the entry of its function. Where nothing recurs it is one for the same heap up to names, so
    /// that no call returns with less than it would if it were followed.
    fn find_context(&mut self, entry: &State) -> Option<u32> {
        let function = entry.top().function;
        let recursive = self.is_recursive(function);
        let explorer = &mut self.explorer;
        let mut covers = |new: &State, old: &State| {
            let pairing = explorer.pair_states(new, old, Purpose::Cover);
            pairing.is_some_and(|pairing| explorer.is_covered_by(&pairing))
        };
        let found = self.contexts.iter().position(|context| {
            context.function == function
                && covers(entry, &context.entry)
                && (recursive || covers(&context.entry, entry))
        })?;
        Some(found as u32 + 1)
    }

    /// A state at the entry of a function joined with that of the innermost context of the same function that leads there: the
    /// way from one call of a recursion to the next is a loop.
    fn widened(&mut self, entry: State, parent: u32) -> State {
        let function = entry.top().function;
        let mut number = parent;
        while let Some(context) = self.context(number) {
            let above = context.parent;
            if context.function == function {
                let old = context.entry.clone();
                if let Some(joined) = self.join(&entry, &old) {
                    return joined;
                }
            }
            number = above;
        }
        entry
    }

    /// Steps a state at the return of a context: every caller that waits goes on with it.
    pub(super) fn leave(&mut self, exit: State, out: &mut Vec<State>) {
        let Some(index) = (exit.context as usize).checked_sub(1) else { return };
        let context = &mut self.contexts[index];
        for caller in &context.callers {
            out.extend(self.explorer.after_call(caller, &exit));
        }
        // What it covers has no more to say to callers that come later.
        if exit.joins > 0 {
            let explorer = &mut self.explorer;
            context.exits.retain(|old| {
                let pairing = explorer.pair_states(old, &exit, Purpose::Cover);
                !pairing.is_some_and(|pairing| explorer.is_covered_by(&pairing))
            });
        }
        if context.exits.len() > MAX_STATES {
            self.explorer.gaps.insert("a function returns in too many shapes".to_owned());
        }
        context.exits.push(exit);
    }

    /// A context may end the program: what is there then is that of all who wait for it, too. (Whether they still reach it is no
    /// question: they hold what they lent, and what they did not lend is as it was.)
    pub(super) fn end_program(&mut self, number: u32, loc: Loc) {
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
        self.explorer.check_kept(caller, loc);
        self.end_program(caller.context(), loc);
    }

    /// Forgets who waits and what was returned with; the contexts stay. For stepping all states once more.
    pub fn begin_again(&mut self) {
        for context in &mut self.contexts {
            context.callers.clear();
            context.exits.clear();
            context.ends.clear();
        }
    }
}
