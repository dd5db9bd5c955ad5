//! One summary for all calls of a function: the analysis of programs that have too many contexts.
//!
//! The *entry* of a summary covers the states of all calls of the function, its outcomes cover all its returns. A call extends the entry
//! where it does not cover the call, and goes on with the outcomes that are known so far. A function is analysed again when its entry or the
//! outcome of a callee has changed. Entries and outcomes are widened, and after some changes forgotten, so that this ends after few analyses
//! of each function, whatever the program does. Afterwards, entries and outcomes are computed again from the calls without widening. Each of
//! these sweeps keeps them sound.
//!
//! Models, small functions and wrappers of allocation functions have a summary for each chain of calls from another function.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_ir::analysis::CallGraph;
use cairn_ir::analysis::call_graph::Calls;
use cairn_ir::program::Origin;
use cairn_ir::{FuncId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::contexts::{Context, Outcome, outcome};
use super::frame::{Frame, FuncIdOrNone};
use super::world::Point;
use super::{Analysis, Forgetting, Stop, bounds};
use crate::domain::memory::{Memory, combine};
use crate::domain::value::Value;
use crate::limits::{
    DESCENDING_SWEEPS, EXTENSIONS_BEFORE_COLLAPSE, EXTENSIONS_BEFORE_WIDENING, MAX_CHAIN, MAX_CHAINS, MAX_NESTED,
    MAX_SMALL_BLOCKS, ROUNDS_AT_ONCE,
};

/// What belongs to a summary, beside the context with the same number.
#[derive(Debug, Default)]
struct Info {
    /// The summaries of the calls.
    callers: BTreeSet<usize>,
    /// How often the outcomes have changed.
    version: u32,
    /// How often the entry was extended.
    extensions: u32,
    /// The position in an order in which callees come first.
    rank: u32,
}

/// All summaries.
#[derive(Default)]
pub(super) struct Summaries {
    by_key: FxHashMap<(FuncId, Vec<Point>), usize>,
    info: Vec<Info>,
    /// The chains of calls of each function.
    chains: FxHashMap<FuncId, usize>,
    waiting: BTreeSet<(u32, usize)>,
    running: FxHashSet<usize>,
    /// The position of each function in an order in which callees come first.
    ranks: Vec<u32>,
    /// The functions with a summary for each chain of calls.
    is_small: Vec<bool>,
    /// The states of the calls of the sweep at hand, by summary.
    calls: Option<FxHashMap<usize, (Vec<Value>, Memory)>>,
    /// Whether a sweep has met a call that no summary covers.
    is_incomplete: bool,
    /// The summaries of functions that call `setjmp`.
    jump_targets: BTreeSet<usize>,
    /// The number of analyses.
    runs: u64,
}

impl Summaries {
    fn prepare(&mut self, program: &Program, recursive: &FxHashSet<FuncId>) {
        let graph = CallGraph::of(program);
        self.ranks = vec![0; program.functions.len()];
        for (rank, component) in graph.components(Calls::Named).into_iter().enumerate() {
            component.into_iter().for_each(|id| self.ranks[id.index()] = rank as u32);
        }
        let is_small = |(index, function): (usize, &cairn_ir::program::Function)| {
            let blocks = function.body.as_ref().map_or(0, |body| body.blocks.len());
            !recursive.contains(&FuncId::new(index)) && (function.origin == Origin::Model || blocks <= MAX_SMALL_BLOCKS)
        };
        self.is_small = program.functions.iter().enumerate().map(is_small).collect();
    }
}

impl Analysis<'_> {
    /// Analyses the program with one summary per function.
    pub(super) fn run_summaries(&mut self, entry: FuncId) -> Result<(), Stop> {
        self.summaries.prepare(self.program, &self.contexts.recursive);
        loop {
            let runs = self.summaries.runs;
            self.enter_from_outside(entry)?;
            while let Some((_, index)) = self.summaries.waiting.pop_first() {
                self.run_summary(index)?;
            }
            if self.summaries.runs == runs {
                break;
            }
            self.frames.clear();
        }
        self.find_recursion()?;
        for _ in 0..DESCENDING_SWEEPS {
            let before: Vec<Context> = self.contexts.all.clone();
            self.sweep(entry)?;
            if self.summaries.is_incomplete {
                self.contexts.all = before;
                break;
            }
        }
        // Once more, to find the summaries that are reached; as in a sweep, no summary changes.
        self.summaries.calls = Some(FxHashMap::default());
        self.enter_from_outside(entry)?;
        self.summaries.calls = None;
        Ok(())
    }

    /// Executes the program in an outermost frame of its own.
    fn enter_from_outside(&mut self, entry: FuncId) -> Result<(), Stop> {
        self.frames.clear();
        self.frames.push(Frame { is_final: true, ..Frame::default() });
        self.run_program(entry)
    }

    /// Restarts the analysis if it has found recursive functions.
    fn find_recursion(&mut self) -> Result<(), Stop> {
        let count = self.program.functions.len();
        let mut called: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, info) in self.summaries.info.iter().enumerate() {
            let callee = self.contexts.all[index].function.0.index();
            called[callee].extend(info.callers.iter().map(|&caller| self.contexts.all[caller].function.0.index()));
        }
        called.iter_mut().for_each(|callers| {
            callers.sort_unstable();
            callers.dedup();
        });
        let found = recursive_nodes(&called);
        let mut is_new = false;
        for function in found {
            is_new |= self.contexts.recursive.insert(FuncId::new(function));
        }
        if is_new { Err(Stop::Restart) } else { Ok(()) }
    }

    /// Computes all summaries again from the calls, without widening.
    fn sweep(&mut self, entry: FuncId) -> Result<(), Stop> {
        self.summaries.calls = Some(FxHashMap::default());
        // The values are those of the last sweep.
        self.observed.iter_mut().for_each(FxHashMap::clear);
        self.enter_from_outside(entry)?;
        let mut order: Vec<(u32, usize)> =
            self.summaries.info.iter().enumerate().map(|(index, info)| (info.rank, index)).collect();
        order.sort_unstable();
        for (_, index) in order {
            self.run_summary(index)?;
        }
        for (index, (args, memory)) in self.summaries.calls.take().unwrap_or_default() {
            let context = &mut self.contexts.all[index];
            (context.args, context.entry) = (args, memory);
        }
        Ok(())
    }

    /// Returns whether summaries are computed again without widening.
    pub(crate) fn is_sweep(&self) -> bool {
        self.summaries.calls.is_some()
    }

    /// Records that the function at hand calls `setjmp`.
    pub(crate) fn note_jump_target(&mut self) {
        if let Some(index) = self.frame().summary {
            self.summaries.jump_targets.insert(index);
        }
    }

    /// Lets all functions that call `setjmp` wait, because the states of jumps have changed.
    pub(crate) fn wake_jump_targets(&mut self) {
        for &index in &self.summaries.jump_targets {
            self.summaries.waiting.insert((self.summaries.info[index].rank, index));
        }
    }

    /// Returns the summary of a call, and extends it where it does not cover the call.
    pub(super) fn enter_summary(&mut self, function: FuncId, args: Vec<Value>, memory: &Memory) -> Result<usize, Stop> {
        let is_on_stack = self.frames.iter().any(|frame| frame.function == FuncIdOrNone(function));
        if is_on_stack && self.contexts.recursive.insert(function) {
            return Err(Stop::Restart);
        }
        let key = (function, self.chain(function));
        let known = self.summaries.by_key.get(&key).copied();
        let index = match known {
            Some(index) if self.summaries.calls.is_some() => {
                self.collect_call(index, args, memory);
                return Ok(index);
            }
            Some(index) => {
                if !self.covers_call(index, &args, memory) {
                    self.extend_entry(index, args, memory);
                }
                index
            }
            None => self.create(key, args, memory),
        };
        if let Some(caller) = self.frame().summary {
            self.summaries.info[index].callers.insert(caller);
        }
        for _ in 0..ROUNDS_AT_ONCE {
            let place = (self.summaries.info[index].rank, index);
            let is_free = self.frames.len() < MAX_NESTED && !self.summaries.running.contains(&index);
            if !is_free || !self.summaries.waiting.remove(&place) {
                break;
            }
            self.run_summary(index)?;
        }
        let version = self.summaries.info[index].version;
        self.frame().used.entry(index).or_insert(version);
        Ok(index)
    }

    /// Returns the chain of calls that tells the summaries of a function apart.
    fn chain(&mut self, function: FuncId) -> Vec<Point> {
        let is_told_apart = self.summaries.is_small[function.index()] || self.contexts.wrappers.contains(&function);
        if !is_told_apart || self.frame().summary.is_none() {
            return Vec::new();
        }
        let point = self.point();
        let mut chain = self.frame().call_string.clone();
        chain.push(point);
        let is_known = self.summaries.by_key.contains_key(&(function, chain.clone()));
        let is_possible = chain.len() <= MAX_CHAIN
            && !self.contexts.recursive.contains(&function)
            && self.summaries.chains.get(&function).copied().unwrap_or(0) < MAX_CHAINS;
        if is_known || is_possible { chain } else { Vec::new() }
    }

    /// Returns the changes of a summary after which everything that still changes is forgotten: fewer, the more work was done.
    fn changes_before_collapse(&self) -> u32 {
        let (visits, blocks) = (self.work.visits, self.work.blocks + 1000);
        match visits / blocks {
            0..100 => 8 * EXTENSIONS_BEFORE_COLLAPSE,
            100..300 => EXTENSIONS_BEFORE_COLLAPSE,
            300..600 => EXTENSIONS_BEFORE_COLLAPSE / 3,
            _ => 2,
        }
    }

    fn create(&mut self, key: (FuncId, Vec<Point>), args: Vec<Value>, memory: &Memory) -> usize {
        let index = self.contexts.all.len();
        let (function, call_string) = key.clone();
        // A sweep has to find every call again.
        self.summaries.is_incomplete |= self.summaries.calls.is_some();
        *self.summaries.chains.entry(function).or_default() += 1;
        let context = Context {
            function: FuncIdOrNone(function),
            call_string,
            args,
            entry: memory.clone(),
            ..Context::default()
        };
        self.contexts.all.push(context);
        let rank = self.summaries.ranks[function.index()];
        self.summaries.info.push(Info { rank, ..Info::default() });
        self.summaries.by_key.insert(key, index);
        if self.summaries.calls.is_none() {
            self.summaries.waiting.insert((rank, index));
        }
        index
    }

    fn covers_call(&self, index: usize, args: &[Value], memory: &Memory) -> bool {
        let context = &self.contexts.all[index];
        let widths = self.parameter_widths(context.function.0);
        let covers = |((a, b), &width): ((&Value, &Value), &u32)| a.covers(b, width, self.pointer);
        context.args.len() == args.len()
            && context.args.iter().zip(args).zip(&widths).all(covers)
            && self.covers_touched(context, memory)
            && (!context.depends_on_all || combine(&context.entry, memory, &self.table, None) == context.entry)
    }

    /// Extends the entry of a summary by a call.
    fn extend_entry(&mut self, index: usize, args: Vec<Value>, memory: &Memory) {
        let most = self.changes_before_collapse();
        let context = &self.contexts.all[index];
        let info = &mut self.summaries.info[index];
        info.extensions += 1;
        self.summaries.waiting.insert((info.rank, index));
        let thresholds = match info.extensions {
            count if count <= EXTENSIONS_BEFORE_WIDENING => None,
            count if count <= 2 * EXTENSIONS_BEFORE_WIDENING => Some(self.thresholds.clone()),
            _ => Some(bounds()),
        };
        let forgetting = Forgetting::after(info.extensions, most);
        let widths = self.parameter_widths(context.function.0);
        let mut new_args = self.join_args(&context.args, &args, &widths, thresholds.as_deref());
        let mut entry = combine(&context.entry, memory, &self.table, thresholds.as_deref());
        if let Some(how) = forgetting {
            for ((new, old), &width) in new_args.iter_mut().zip(&context.args).zip(&widths) {
                if new != old {
                    *new = how.value(new, width, self.pointer);
                }
            }
            entry = self.collapsed(&context.entry, &entry, how);
        }
        let context = &mut self.contexts.all[index];
        (context.args, context.entry) = (new_args, entry);
    }

    /// Forgets the contents of the objects that differ between two memories, so that repeated changes end.
    pub(crate) fn collapsed(&self, old: &Memory, new: &Memory, how: Forgetting) -> Memory {
        let mut result = new.clone();
        let mut differing = Vec::new();
        let _ = old.merge(new, &mut |key, a, b| {
            if let Some(object) = b
                && a.is_none_or(|a| a != object)
            {
                differing.push((key, how.object(a.map(|object| &**object), object, self.pointer)));
            }
            a.cloned()
        });
        for (key, object) in differing {
            result.insert(key, Rc::new(object));
        }
        result
    }

    /// Joins the state of a call to those that the sweep at hand has met.
    fn collect_call(&mut self, index: usize, args: Vec<Value>, memory: &Memory) {
        let Some(calls) = &mut self.summaries.calls else { return };
        let Some((old_args, old_memory)) = calls.remove(&index) else {
            calls.insert(index, (args, memory.clone()));
            return;
        };
        let widths = self.parameter_widths(self.contexts.all[index].function.0);
        let joined = self.join_args(&old_args, &args, &widths, None);
        let memory = combine(&old_memory, memory, &self.table, None);
        if let Some(calls) = &mut self.summaries.calls {
            calls.insert(index, (joined, memory));
        }
    }

    /// Analyses a function for the entry of its summary.
    fn run_summary(&mut self, index: usize) -> Result<(), Stop> {
        self.summaries.runs += 1;
        self.summaries.running.insert(index);
        let context = &self.contexts.all[index];
        let (function, args, entry) = (context.function.0, context.args.clone(), context.entry.clone());
        self.frames.push(Frame {
            function: FuncIdOrNone(function),
            call_string: context.call_string.clone(),
            summary: Some(index),
            ..Frame::default()
        });
        let slots = self.objects.slots.clone();
        let exits = self.run_body(function, &args, entry.clone());
        self.objects.slots = slots;
        let frame = self.frames.pop().unwrap_or_default();
        self.summaries.running.remove(&index);
        let mut written: Vec<u32> = frame.written.iter().copied().collect();
        written.sort_unstable();
        let new: Vec<Outcome> =
            exits?.into_iter().map(|(state, result)| outcome(&entry, &written, state, result)).collect();
        self.replace_summary(index, &entry, new, frame);
        Ok(())
    }

    /// Records the result of an analysis, and lets the callers wait for theirs if it has changed.
    fn replace_summary(&mut self, index: usize, entry: &Memory, new: Vec<Outcome>, frame: Frame) {
        let is_sweep = self.summaries.calls.is_some();
        let context = &self.contexts.all[index];
        let version = self.summaries.info[index].version;
        let outcomes =
            if is_sweep { new } else { self.join_all(context.function.0, &context.outcomes, new, entry, version) };
        let sorted = |keys: FxHashSet<u32>, old: &[u32]| {
            let mut keys: Vec<u32> = keys.into_iter().collect();
            if !is_sweep {
                keys.extend(old);
            }
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let (touched, created) = (sorted(frame.touched, &context.touched), sorted(frame.created, &context.created));
        let has_changed = outcomes != context.outcomes
            || touched != context.touched
            || created != context.created
            || frame.depends_on_all != context.depends_on_all;
        let context = &mut self.contexts.all[index];
        (context.outcomes, context.touched, context.created) = (outcomes, touched, created);
        context.depends_on_all = frame.depends_on_all || (context.depends_on_all && !is_sweep);
        context.has_other_faults = frame.has_other_faults;
        (context.alarms, context.resting, context.children) = (frame.alarms, frame.resting, frame.children);
        if is_sweep {
            return;
        }
        if has_changed {
            self.summaries.info[index].version += 1;
            for &caller in &self.summaries.info[index].callers {
                self.summaries.waiting.insert((self.summaries.info[caller].rank, caller));
            }
        }
        let is_outdated = frame.used.iter().any(|(&callee, &used)| self.summaries.info[callee].version != used);
        if is_outdated {
            self.summaries.waiting.insert((self.summaries.info[index].rank, index));
        }
    }

    /// Joins the outcomes of a function with older ones, class by class.
    fn join_all(
        &self,
        function: FuncId,
        old: &[Outcome],
        new: Vec<Outcome>,
        entry: &Memory,
        version: u32,
    ) -> Vec<Outcome> {
        if old == new {
            return new;
        }
        let ret = self.program.functions[function.index()].signature.ret;
        let width = ret.map_or(64, |ty| self.width(ty));
        let rounds = version.saturating_sub(EXTENSIONS_BEFORE_WIDENING) + 1;
        let mut result: Vec<Outcome> = Vec::new();
        for outcome in old.iter().cloned().chain(new) {
            let class = self.class(&outcome.result, width);
            match result.iter().position(|other| self.class(&other.result, width) == class) {
                Some(at) => {
                    let before = result.swap_remove(at);
                    result.extend(self.join_outcomes(function, Some(before), Some(outcome), entry, rounds));
                }
                None => result.push(outcome),
            }
        }
        // Widening may have moved a result to another class, and each class may have an outcome only once.
        let is_many = version > EXTENSIONS_BEFORE_WIDENING;
        while result.len() > 1 && (is_many || result.len() > 3) {
            let (last, other) = (result.pop(), result.pop());
            result.extend(self.join_outcomes(function, other, last, entry, rounds));
        }
        if let Some(how) = Forgetting::after(version, self.changes_before_collapse())
            && let [joined] = &mut result[..]
            && old.first() != Some(joined)
        {
            joined.result = how.value(&joined.result, width, self.pointer);
            let before = old.first().map_or(&[][..], |outcome| &outcome.writes[..]);
            for (key, object) in &mut joined.writes {
                let known = before.iter().find(|(other, _)| other == key).and_then(|(_, object)| object.as_ref());
                if let Some(object) = object
                    && known != Some(object)
                {
                    *object = Rc::new(how.object(known.map(|object| &**object), object, self.pointer));
                }
            }
        }
        result
    }
}

/// Returns the nodes of a graph that reach themselves.
fn recursive_nodes(edges: &[Vec<usize>]) -> Vec<usize> {
    // Nodes without a way on lie on no cycle, and are removed one by one, in both directions.
    let mut alive: BTreeSet<usize> = (0..edges.len()).filter(|&node| !edges[node].is_empty()).collect();
    loop {
        let leads_on = |node: &usize| edges[*node].iter().any(|next| alive.contains(next));
        let reached: BTreeSet<usize> = alive.iter().flat_map(|&node| edges[node].iter().copied()).collect();
        let rest: BTreeSet<usize> =
            alive.iter().filter(|node| leads_on(node) && reached.contains(node)).copied().collect();
        if rest.len() == alive.len() {
            break;
        }
        alive = rest;
    }
    let reaches_itself = |&start: &usize| {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut waiting = edges[start].clone();
        while let Some(node) = waiting.pop() {
            if node == start {
                return true;
            }
            if alive.contains(&node) && seen.insert(node) {
                waiting.extend(&edges[node]);
            }
        }
        false
    };
    alive.iter().copied().filter(reaches_itself).collect()
}
