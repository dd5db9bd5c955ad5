//! Calls by summary: a function is analysed once for each part of the heap that it is called on, up to names, and what it returns
//! with is used again wherever it is called on a part that this one covers. Recursion is a fixpoint: a call inside waits for what the
//! call outside has to offer, and is told of everything that comes later.
//!
//! A *context* is a function with the state that it is entered with. States of a context have their own frames only, and places of
//! their own. Where a call begins, where a context is entered, where it returns and where its callers go on are places, too: so whatever is dropped because
//! another state covers it, or replaced because it was joined, the loop that owns the states takes care of.
//!
//! Invariant: every caller that waits for a context meets every state at its return, whichever comes first.

use std::rc::Rc;

use cairn_ir::{BlockId, FuncId, Loc};

use super::pair::Purpose;
use super::split::Caller;
use super::{MAX_STATES, Prover, callgraph, touched};
use crate::calls::Calls;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::{Stage, State};
use crate::reach::Domain;

/// Contexts of one function beyond which there is no hope.
const MAX_CONTEXTS: usize = 48;

/// Contexts of one function from which on nodes are folded where it is called, and a context will do that is more general.
const FEW_CONTEXTS: usize = 4;

/// Contexts of one function from which on a new one is joined with one of them.
const MANY_CONTEXTS: usize = 8;

/// What is analysed apart from its surroundings: a function, or the loop with this head in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Region {
    pub(super) function: FuncId,
    pub(super) head: Option<BlockId>,
}

/// A function, or a loop, with what it is called on.
#[derive(Debug)]
pub(super) struct Context {
    region: Region,
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
    /// Whether calls of a function are analysed apart from their callers, or may be.
    pub(super) fn is_summarised(&self, function: FuncId) -> bool {
        let Some(callee) = callgraph::of(&self.called, function).filter(|callee| callee.alone) else { return false };
        // Whoever looks at the states wants to see them whole.
        let whole = self.explorer.record.is_some();
        match self.calls {
            Calls::Auto => self.is_recursive(function) || ((callee.often || callee.loops) && !self.follows && !whole),
            Calls::Inline => false,
            Calls::Summaries => callee.recursive || !whole,
        }
    }

    /// Whether more may be known where calls are followed that were analysed apart from their callers.
    pub fn may_follow(&self) -> bool {
        let follows = |context: &Context| {
            let callee = callgraph::of(&self.called, context.region.function);
            callee.is_none_or(|callee| !callee.recursive || callee.by_pointer)
        };
        self.calls == Calls::Auto && self.contexts.iter().any(follows)
    }

    /// How many calls were analysed apart from their callers, and how many calls found what they return with.
    pub fn summarised(&self) -> (u64, u64) {
        (self.contexts.len() as u64, self.reused)
    }

    /// Whether the states at the return of a function are joined like those at the head of a loop. Where calls are followed, those of pointers
    /// are, too, as far as they go.
    pub(super) fn is_recursive(&self, function: FuncId) -> bool {
        callgraph::of(&self.called, function)
            .is_some_and(|callee| callee.recursive && !(self.follows && callee.by_pointer))
    }

    fn context(&self, number: u32) -> Option<&Context> {
        self.contexts.get((number as usize).checked_sub(1)?)
    }

    /// The head of the loop that a state is in, where that is analysed apart and the state is in no call that was made there.
    pub(super) fn loop_of_context(&self, state: &State) -> Option<BlockId> {
        self.context(state.context).filter(|_| state.frames.len() == 1)?.region.head
    }

    /// The rank of the states of a context.
    pub(super) fn rank_of_context(&self, number: u32) -> Vec<u32> {
        self.context(number).map_or_else(Vec::new, |context| context.rank.clone())
    }

    /// The contexts of a function or a loop, the oldest first.
    fn contexts_of(&self, region: Region) -> impl DoubleEndedIterator<Item = &Context> {
        self.contexts.iter().filter(move |context| context.region == region)
    }

    /// Lets a state enter a call of a function that does not recur. It is compared with no other state before.
    pub(super) fn enter_now(&mut self, state: State, out: &mut Vec<State>) {
        // A call that is one of few is looked at by itself only where there is less to look at than where it is followed.
        if let Some(callee) = callgraph::of(&self.called, state.top().function)
            && self.calls == Calls::Auto
            && !callee.often
            && !self.explorer.split_call(state.clone(), &callee.globals, true).1.holds_heap()
        {
            out.push(State { stage: Stage::Running, ..state });
            return;
        }
        let mut calling = Vec::new();
        self.explorer.clean(state, false, &touched::nothing(), &mut calling);
        calling.into_iter().for_each(|state| self.enter(state, out));
    }

    /// Steps a state whose innermost call has just begun: the call's context is found or made, and what it is known to return with
    /// goes on. A call that is made on too many different heaps is followed.
    pub(super) fn enter(&mut self, state: State, out: &mut Vec<State>) {
        let function = state.top().function;
        let mut rank = self.rank(&state);
        rank.pop();
        let parent = state.context;
        let Some(callee) = callgraph::of(&self.called, function) else { return };
        let (recursive, globals) = (self.is_recursive(function), callee.globals.clone());
        let (entry, caller) = self.explorer.split_call(state.clone(), &globals, !recursive);
        let caller = Rc::new(caller);
        // The callee's part alone is folded: what its caller holds is no part of any loop.
        let region = Region { function, head: None };
        let folding = recursive || self.contexts_of(region).count() >= FEW_CONTEXTS;
        let mut entries = Vec::new();
        self.explorer.clean(entry, folding, &None, &mut entries);
        for entry in entries {
            if let Some(number) = self.context_for(entry, region, parent, &rank) {
                self.wait_for(number, &caller, out);
                continue;
            }
            if recursive {
                self.explorer.gaps.insert("a function is called on too many different heaps".to_owned());
            } else {
                out.push(State { stage: Stage::Running, ..state });
            }
            return;
        }
    }

    /// The context that a state is the entry of, or is covered by that of: one that is known, or else a new one.
    pub(super) fn context_for(&mut self, entry: State, region: Region, parent: u32, rank: &[u32]) -> Option<u32> {
        if let Some(number) = self.find_context(&entry, region) {
            self.reused += 1;
            return Some(number);
        }
        if self.contexts_of(region).count() >= MAX_CONTEXTS {
            return None;
        }
        let number = self.contexts.len() as u32 + 1;
        let mut entry = self.widened(entry, region, parent);
        entry.context = number;
        entry.stage = Stage::Entered;
        let (callers, exits, ends) = (Vec::new(), Vec::new(), Vec::new());
        self.contexts.push(Context { region, entry, parent, rank: rank.to_vec(), callers, exits, ends });
        Some(number)
    }

    /// Lets a caller wait for a context, and go on with what that has returned with so far.
    pub(super) fn wait_for(&mut self, number: u32, caller: &Rc<Caller>, out: &mut Vec<State>) {
        let context = &mut self.contexts[number as usize - 1];
        // The entry is needed while one of those is who wait.
        out.push(context.entry.clone());
        context.callers.push(Rc::clone(caller));
        let (exits, ends) = (context.exits.clone(), context.ends.clone());
        exits.iter().for_each(|exit| self.resume(caller, exit, out));
        ends.into_iter().for_each(|loc| self.end_caller(caller, loc));
    }

    /// A context that covers a state at its entry. While they are few and nothing recurs it is one for the same
    /// shape, so that a call returns with no less than it would if it were followed; at the head of a loop what is covered goes no further
    /// anyway.
    fn find_context(&mut self, entry: &State, region: Region) -> Option<u32> {
        let any = region.head.is_some()
            || self.is_recursive(region.function)
            || self.contexts_of(region).count() >= FEW_CONTEXTS;
        let explorer = &mut self.explorer;
        let found = self.contexts.iter().position(|context| {
            context.region == region
                && (any || explorer.are_alike(&context.entry, entry))
                && explorer
                    .pair_states(entry, &context.entry, Purpose::Cover)
                    .is_some_and(|p| explorer.is_covered_by(&p))
        })?;
        Some(found as u32 + 1)
    }

    /// A state at the entry of a function joined with that of another context of it, where that is called for: the way from one call
    /// of a recursion to the next is a loop, and of many different calls what they have in common will do.
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

    /// Steps a state at the return of a context: every caller that waits goes on with it.
    pub(super) fn leave(&mut self, exit: State, out: &mut Vec<State>) {
        let Some(index) = (exit.context as usize).checked_sub(1) else { return };
        let context = &mut self.contexts[index];
        // What others have taken the place of has no more to say.
        context.callers.retain(|caller| !self.replaced.contains(&caller.origin()));
        context.exits.retain(|exit| !self.replaced.contains(&exit.origin));
        if context.exits.len() > MAX_STATES {
            self.explorer.gaps.insert("a function returns in too many shapes".to_owned());
        }
        context.exits.push(exit.clone());
        for caller in context.callers.clone() {
            self.resume(&caller, &exit, out);
        }
    }

    /// Lets a caller go on with what a call returns with. It is compared with what other calls there have returned with: like
    /// branches, they meet.
    fn resume(&mut self, caller: &Caller, exit: &State, out: &mut Vec<State>) {
        let Some(state) = self.explorer.after_call(caller, exit) else { return };
        let folding = self.is_crowded(&state);
        let registers = self.loop_registers(&state);
        self.explorer.clean(state, folding, &registers, out);
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

impl Explorer<'_> {
    /// Whether one state has the shape of another, and every constant of it.
    fn are_alike(&mut self, one: &State, other: &State) -> bool {
        self.pair_states(one, other, Purpose::Cover).is_some_and(|pairing| pairing.equalities.is_empty())
    }
}
