//! Calling contexts: the results of calls, and where they apply.
//!
//! A context applies to a call if the arguments are the same and every object that the analysis of the context looked at is the same. All
//! other objects are untouched, apart from their pointers to objects whose name has changed. Beyond a number of contexts per function,
//! further calls are joined to one context.

use std::rc::Rc;

use cairn_ir::analysis::CallGraph;
use cairn_ir::analysis::call_graph::Calls;
use cairn_ir::inst::Inst;
use cairn_ir::program::Origin;
use cairn_ir::{CheckId, FuncId, Intrinsic, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::frame::{Frame, FuncIdOrNone};
use super::state::{State, changed};
use super::world::{Kind, Point};
use super::{Analysis, Findings, Precision, Stop};
use crate::domain::map::{Map, TEXT_FILTER, filter_of};
use crate::domain::memory::{Fate, Memory, Rename, combine};
use crate::domain::object::Object;
use crate::domain::value::{Obj, Value};
use crate::limits::{MAX_CONTEXTS, MAX_DEPTH};

/// The effect of a call that returns.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The objects that differ afterwards; `None` for those that are gone.
    pub(super) writes: Vec<(u32, Option<Rc<Object>>)>,
    /// What becomes of pointers.
    pub(super) fates: Map<Value>,
    /// The result.
    pub(super) result: Value,
    /// Whether an assumption was made.
    pub(super) is_tainted: bool,
    /// Whether the call writes through a pointer that may point anywhere.
    pub(super) writes_anywhere: bool,
}

/// The result of the analysis of a call.
#[derive(Clone, Default, Debug)]
pub struct Context {
    pub(super) function: FuncIdOrNone,
    pub(super) call_string: Vec<Point>,
    pub(super) args: Vec<Value>,
    pub(super) entry: Memory,
    pub(super) touched: Vec<u32>,
    /// The objects that the call may have created.
    pub(super) created: Vec<u32>,
    /// The ways in which the call returns.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) alarms: FxHashSet<CheckId>,
    pub(super) resting: FxHashSet<CheckId>,
    pub(super) children: FxHashSet<(usize, bool)>,
    pub(super) has_other_faults: bool,
    /// Whether the result depends on every object.
    pub(super) depends_on_all: bool,
}

/// A recursive function whose analysis is under way.
#[derive(Debug)]
struct Running {
    args: Vec<Value>,
    memory: Memory,
    touched: FxHashSet<u32>,
    outcome: Option<Outcome>,
    /// Whether a call has extended the arguments or the memory.
    is_dirty: bool,
    rounds: u32,
}

/// All contexts.
pub struct Contexts {
    /// The recursive functions.
    pub recursive: FxHashSet<FuncId>,
    pub(super) all: Vec<Context>,
    by_function: FxHashMap<FuncId, Vec<usize>>,
    merged: FxHashMap<FuncId, usize>,
    running: FxHashMap<FuncId, Running>,
    /// The recursive functions that call themselves after an assumption was made.
    tainted: FxHashSet<FuncId>,
    pub(super) wrappers: FxHashSet<FuncId>,
}

impl Contexts {
    /// Finds the recursive functions and the wrappers of allocation functions.
    pub fn new(program: &Program, recursive: &FxHashSet<FuncId>) -> Self {
        let graph = CallGraph::of(program);
        let mut found = recursive.clone();
        for component in graph.components(Calls::Named) {
            let calls_itself = |id: FuncId| graph.named_calls(id).contains(&id);
            if component.len() > 1 || component.iter().any(|&id| calls_itself(id)) {
                found.extend(component);
            }
        }
        Contexts {
            recursive: found,
            all: Vec::new(),
            by_function: FxHashMap::default(),
            merged: FxHashMap::default(),
            running: FxHashMap::default(),
            tainted: FxHashSet::default(),
            wrappers: wrappers(program, &graph),
        }
    }

    /// Returns the checks that no context may violate.
    pub fn conclude(&self, program: &Program, root: &Frame) -> Findings {
        let mut alarms: FxHashSet<CheckId> = root.alarms.clone();
        let mut findings = Findings { has_other_faults: root.has_other_faults, ..Findings::default() };
        let mut seen: FxHashSet<(usize, bool)> = FxHashSet::default();
        let mut waiting: Vec<(usize, bool)> = root.children.iter().copied().collect();
        let mut tainted: FxHashSet<FuncId> = FxHashSet::default();
        while let Some((index, is_tainted)) = waiting.pop() {
            let is_tainted = is_tainted || self.tainted.contains(&self.all[index].function.0);
            if !seen.insert((index, is_tainted)) {
                continue;
            }
            let context = &self.all[index];
            alarms.extend(&context.alarms);
            findings.resting.extend(&context.resting);
            findings.has_other_faults |= context.has_other_faults;
            if is_tainted {
                tainted.insert(context.function.0);
            }
            waiting.extend(context.children.iter().map(|&(child, after)| (child, after || is_tainted)));
        }
        for (index, check) in program.checks.iter().enumerate() {
            let id = CheckId::new(index);
            if alarms.contains(&id) || check.kind.is_of_the_end() {
                continue;
            }
            if tainted.contains(&check.function) {
                findings.resting.insert(id);
            }
            findings.proved.push(id);
        }
        findings
    }
}

/// Finds small functions that return what an allocation function gives them.
fn wrappers(program: &Program, graph: &CallGraph) -> FxHashSet<FuncId> {
    let mut found: FxHashSet<FuncId> = FxHashSet::default();
    let allocates = |inst: &Inst| {
        matches!(
            inst,
            Inst::Intrinsic {
                op: Intrinsic::HeapAlloc
                    | Intrinsic::HeapAllocZeroed
                    | Intrinsic::HeapAllocAligned
                    | Intrinsic::HeapRealloc
                    | Intrinsic::MapMemory
                    | Intrinsic::OpenResource,
                ..
            }
        )
    };
    for round in 0..3 {
        let mut new = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            let id = FuncId::new(index);
            let Some(body) = &function.body else { continue };
            let is_small = body.blocks.len() <= if function.origin == Origin::Model { 40 } else { 16 };
            if !is_small || found.contains(&id) || function.signature.ret != Some(cairn_ir::Ty::Ptr) {
                continue;
            }
            let direct = round == 0 && body.blocks.iter().flat_map(|block| &block.insts).any(allocates);
            if direct || graph.named_calls(id).iter().any(|callee| found.contains(callee)) {
                new.push(id);
            }
        }
        found.extend(new);
    }
    found
}

/// The result of a call for its caller.
pub struct Returned {
    /// The value.
    pub value: Value,
    /// What becomes of the caller's pointers.
    pub fates: Map<Value>,
    /// The objects that may have changed.
    pub written: Vec<u32>,
    /// Whether an assumption was made.
    pub is_tainted: bool,
    /// Whether the call may have changed every object.
    pub writes_anywhere: bool,
}

impl Analysis<'_> {
    /// Calls a function with a body from outside.
    pub fn enter(
        &mut self,
        function: FuncId,
        args: Vec<Value>,
        memory: &mut Memory,
        is_tainted: bool,
    ) -> Result<Option<(Value, bool)>, Stop> {
        let width = self.program.functions[function.index()].signature.ret.map_or(64, |ty| self.width(ty));
        let mut result: Option<(Value, bool)> = None;
        let entry = memory.clone();
        for (after, returned) in self.enter_function(function, args, &entry, is_tainted)? {
            let is_tainted = returned.is_tainted || is_tainted;
            (*memory, result) = match result {
                None => (after, Some((returned.value, is_tainted))),
                Some((old, was)) => (
                    combine(memory, &after, &self.table, None),
                    Some((old.join(&returned.value, width, self.pointer), was || is_tainted)),
                ),
            };
        }
        Ok(result)
    }

    /// Analyses a call of a function with a body, or finds a context that applies. Returns the ways in which the call returns.
    pub fn enter_function(
        &mut self,
        function: FuncId,
        args: Vec<Value>,
        memory: &Memory,
        is_tainted: bool,
    ) -> Result<Vec<(Memory, Returned)>, Stop> {
        if self.precision == Precision::Summaries {
            let index = self.enter_summary(function, args, memory)?;
            return Ok(self.apply_context(index, memory, is_tainted));
        }
        if self.frames.len() > MAX_DEPTH {
            return Err(Stop::OutOfBudget);
        }
        let is_running = self.frames.iter().any(|frame| frame.function == FuncIdOrNone(function));
        if is_running {
            if self.contexts.recursive.insert(function) {
                return Err(Stop::Restart);
            }
            let mut after = memory.clone();
            let returned = self.recur(function, args, &mut after, is_tainted);
            return Ok(returned.map(|returned| (after, returned)).into_iter().collect());
        }
        let call_string = self.call_string(function);
        if let Some(index) = self.find_context(function, &call_string, &args, memory) {
            return Ok(self.apply_context(index, memory, is_tainted));
        }
        let index = if self.contexts.recursive.contains(&function) {
            self.analyse_recursive(function, call_string, args, memory)?
        } else {
            let count = self.contexts.by_function.get(&function).map_or(0, Vec::len);
            if count >= MAX_CONTEXTS {
                self.analyse_merged(function, args, memory)?
            } else {
                self.analyse(function, call_string, args, memory.clone())?
            }
        };
        Ok(self.apply_context(index, memory, is_tainted))
    }

    fn call_string(&mut self, function: FuncId) -> Vec<Point> {
        if !self.contexts.wrappers.contains(&function) {
            return Vec::new();
        }
        let point = self.point();
        let mut string = self.frame().call_string.clone();
        string.push(point);
        string
    }

    fn find_context(&self, function: FuncId, string: &[Point], args: &[Value], memory: &Memory) -> Option<usize> {
        let candidates = self.contexts.by_function.get(&function)?;
        candidates.iter().rev().copied().find(|&index| {
            let context = &self.contexts.all[index];
            context.call_string == string
                && context.args == args
                && context.touched.iter().all(|&key| match (context.entry.get(key), memory.get(key)) {
                    (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
                    (None, None) => true,
                    _ => false,
                })
        })
    }

    /// Analyses a call and keeps the result.
    fn analyse(
        &mut self,
        function: FuncId,
        call_string: Vec<Point>,
        args: Vec<Value>,
        entry: Memory,
    ) -> Result<usize, Stop> {
        self.frames.push(Frame {
            function: FuncIdOrNone(function),
            call_string: call_string.clone(),
            ..Frame::default()
        });
        let slots = self.objects.slots.clone();
        let exit = self.run_body(function, &args, entry.clone());
        self.objects.slots = slots;
        let frame = self.frames.pop().unwrap_or_default();
        let exit = exit?;
        let is_provisional = frame.is_provisional || frame.depends_on_all;
        if frame.is_provisional {
            self.mark_provisional();
        }
        let index = self.keep(function, call_string, args, entry, exit, frame);
        if !is_provisional {
            self.contexts.by_function.entry(function).or_default().push(index);
        }
        Ok(index)
    }

    /// The caller's result holds only until the recursion is complete, unless the caller is the recursive function itself.
    fn mark_provisional(&mut self) {
        let is_outermost = {
            let function = self.function();
            let runs = self.contexts.running.contains_key(&function);
            let others = self.contexts.running.keys().filter(|&&other| other != function).count();
            runs && others == 0
        };
        if !is_outermost {
            self.frame().is_provisional = true;
        }
    }

    fn keep(
        &mut self,
        function: FuncId,
        call_string: Vec<Point>,
        args: Vec<Value>,
        entry: Memory,
        exits: Vec<(State, Value)>,
        frame: Frame,
    ) -> usize {
        let mut touched: Vec<u32> = frame.touched.into_iter().collect();
        touched.sort_unstable();
        if frame.depends_on_all {
            self.frame().depends_on_all = true;
        }
        let mut written: Vec<u32> = frame.written.into_iter().collect();
        written.sort_unstable();
        let outcomes = exits.into_iter().map(|(state, result)| outcome(&entry, &written, state, result)).collect();
        let mut created: Vec<u32> = frame.created.into_iter().collect();
        created.sort_unstable();
        self.contexts.all.push(Context {
            function: FuncIdOrNone(function),
            call_string,
            args,
            entry,
            touched,
            created,
            outcomes,
            depends_on_all: frame.depends_on_all,
            alarms: frame.alarms,
            resting: frame.resting,
            children: frame.children,
            has_other_faults: frame.has_other_faults,
        });
        self.contexts.all.len() - 1
    }

    fn apply_context(&mut self, index: usize, memory: &Memory, is_tainted: bool) -> Vec<(Memory, Returned)> {
        let context = &self.contexts.all[index];
        let (touched, mut outcomes) = (context.touched.clone(), context.outcomes.clone());
        // An object that only other calls know exists after this call only if the call creates it.
        let (created, entry) = (context.created.clone(), context.entry.clone());
        let is_global = |key: u32| matches!(self.table.kind(Obj(key)), Kind::Global(_));
        let exists = |key: u32| {
            memory.get(key).is_some()
                || entry.get(key).is_none()
                || is_global(key)
                || created.binary_search(&key).is_ok()
        };
        outcomes.iter_mut().for_each(|outcome| outcome.writes.retain(|(key, _)| exists(*key)));
        let depends_on_all = context.depends_on_all;
        let frame = self.frame();
        frame.depends_on_all |= depends_on_all;
        frame.created.extend(&created);
        frame.touched.extend(&touched);
        if frame.is_final {
            frame.children.insert((index, is_tainted));
        }
        let mut applied = Vec::new();
        for outcome in outcomes {
            let mut after = memory.clone();
            let returned = self.apply_outcome(outcome, &touched, &mut after);
            applied.push((after, returned));
        }
        applied
    }

    fn apply_outcome(&mut self, outcome: Outcome, touched: &[u32], memory: &mut Memory) -> Returned {
        let mut written = Vec::new();
        let filter = outcome.fates.entries().iter().fold(0, |all, (key, _)| all | filter_of(*key));
        if filter != 0 {
            let (fates, pointer) = (&outcome.fates, self.pointer);
            let mut renamed = Vec::new();
            memory.replace(filter, &mut |key, object| {
                if touched.binary_search(&key).is_ok() {
                    return None;
                }
                let mut new = Object::clone(object);
                new.map_values(&|value, _| changed(value, fates, pointer).unwrap_or_else(|| value.clone()));
                renamed.push(key);
                Some(Rc::new(new))
            });
            let frame = self.frame();
            frame.written.extend(&renamed);
            frame.touched.extend(renamed);
        }
        if memory.filter() & TEXT_FILTER != 0 {
            for (key, _) in &outcome.writes {
                let rename = Rename { from: Obj(*key), to: None, fate: Fate::LeavesText };
                let mut renamed = Vec::new();
                rename.apply_to_memory(memory, self.pointer, &mut |other| {
                    let is_untouched = touched.binary_search(&other).is_err();
                    if is_untouched {
                        renamed.push(other);
                    }
                    is_untouched
                });
                let frame = self.frame();
                frame.written.extend(&renamed);
                frame.touched.extend(renamed);
            }
        }
        for (key, object) in outcome.writes {
            written.push(key);
            self.frame().written.insert(key);
            match object {
                Some(object) => memory.insert(key, object),
                None => memory.remove(key),
            }
        }
        let Outcome { result: value, fates, is_tainted, writes_anywhere, .. } = outcome;
        Returned { value, fates, written, is_tainted, writes_anywhere }
    }

    /// Analyses a call together with all earlier ones beyond the limit of contexts.
    fn analyse_merged(&mut self, function: FuncId, args: Vec<Value>, memory: &Memory) -> Result<usize, Stop> {
        let widths = self.parameter_widths(function);
        if let Some(&index) = self.contexts.merged.get(&function) {
            let context = &self.contexts.all[index];
            let is_covered = context.args.len() == args.len()
                && context.args.iter().zip(&args).zip(&widths).all(|((a, b), &width)| a.covers(b, width, self.pointer))
                && self.covers_touched(context, memory);
            if is_covered {
                return Ok(index);
            }
        }
        let (args, entry) = match self.contexts.merged.get(&function) {
            Some(&index) => {
                let context = &self.contexts.all[index];
                let thresholds = super::bounds();
                let args = self.join_args(&context.args, &args, &widths, Some(&thresholds));
                (args, combine(&context.entry, memory, &self.table, Some(&thresholds)))
            }
            None => (args, memory.clone()),
        };
        self.frames.push(Frame { function: FuncIdOrNone(function), ..Frame::default() });
        let slots = self.objects.slots.clone();
        let exit = self.run_body(function, &args, entry.clone());
        self.objects.slots = slots;
        let frame = self.frames.pop().unwrap_or_default();
        let exit = exit?;
        let is_provisional = frame.is_provisional || frame.depends_on_all;
        if frame.is_provisional {
            self.mark_provisional();
        }
        let index = self.keep(function, Vec::new(), args, entry, exit, frame);
        if !is_provisional {
            self.contexts.merged.insert(function, index);
        }
        Ok(index)
    }

    pub(super) fn covers_touched(&self, context: &Context, memory: &Memory) -> bool {
        use crate::domain::memory::World;
        context.touched.iter().all(|&key| match (context.entry.get(key), memory.get(key)) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b || a.combine(b, Obj(key), &self.table, None) == **a,
            (None, None) => true,
            (Some(a), None) => match self.table.unchanged(Obj(key)) {
                Some(initial) => a.combine(&initial, Obj(key), &self.table, None) == **a,
                None => true,
            },
            (None, Some(_)) => false,
        })
    }

    pub(super) fn parameter_widths(&self, function: FuncId) -> Vec<u32> {
        use cairn_ir::inst::Passing;
        let params = &self.program.functions[function.index()].signature.params;
        params
            .iter()
            .map(|passing| match passing {
                Passing::Scalar(ty) => self.width(*ty),
                Passing::Memory { .. } => self.pointer,
            })
            .collect()
    }

    pub(super) fn join_args(&self, a: &[Value], b: &[Value], widths: &[u32], thresholds: Option<&[u64]>) -> Vec<Value> {
        a.iter()
            .zip(b)
            .zip(widths)
            .map(|((a, b), &width)| match thresholds {
                Some(thresholds) => a.widen(b, width, self.pointer, thresholds),
                None => a.join(b, width, self.pointer),
            })
            .collect()
    }

    /// Handles a call of a function whose analysis is under way.
    fn recur(&mut self, function: FuncId, args: Vec<Value>, memory: &mut Memory, is_tainted: bool) -> Option<Returned> {
        if is_tainted {
            self.contexts.tainted.insert(function);
        }
        let widths = self.parameter_widths(function);
        let running = self.contexts.running.get(&function)?;
        let thresholds = if running.rounds > 3 { super::bounds() } else { self.thresholds.clone() };
        let is_early = running.rounds <= 1;
        let chosen = (!is_early).then_some(&thresholds[..]);
        let new_args = self.join_args(&running.args, &args, &widths, chosen);
        let new_memory = combine(&running.memory, memory, &self.table, chosen);
        let is_new = new_args != running.args || new_memory != running.memory;
        let (outcome, touched) = (running.outcome.clone(), running.touched.clone());
        if is_new && let Some(running) = self.contexts.running.get_mut(&function) {
            (running.args, running.memory, running.is_dirty) = (new_args, new_memory, true);
        }
        self.frame().is_provisional = true;
        let mut touched: Vec<u32> = touched.into_iter().collect();
        touched.sort_unstable();
        self.frame().touched.extend(&touched);
        Some(self.apply_outcome(outcome?, &touched, memory))
    }

    /// Analyses a recursive function until its result is stable.
    fn analyse_recursive(
        &mut self,
        function: FuncId,
        call_string: Vec<Point>,
        args: Vec<Value>,
        memory: &Memory,
    ) -> Result<usize, Stop> {
        let running = Running {
            args,
            memory: memory.clone(),
            touched: FxHashSet::default(),
            outcome: None,
            is_dirty: false,
            rounds: 0,
        };
        self.contexts.running.insert(function, running);
        loop {
            let Some(running) = self.contexts.running.get_mut(&function) else { return Err(Stop::OutOfBudget) };
            running.is_dirty = false;
            running.rounds += 1;
            if running.rounds > 40 {
                return Err(Stop::OutOfBudget);
            }
            let (args, entry, rounds) = (running.args.clone(), running.memory.clone(), running.rounds);
            self.frames.push(Frame {
                function: FuncIdOrNone(function),
                call_string: call_string.clone(),
                ..Frame::default()
            });
            let slots = self.objects.slots.clone();
            let exit = self.run_body(function, &args, entry.clone());
            self.objects.slots = slots;
            let frame = self.frames.pop().unwrap_or_default();
            let exit = match exit {
                Ok(exit) => exit,
                Err(stop) => {
                    self.contexts.running.remove(&function);
                    return Err(stop);
                }
            };
            let mut touched: Vec<u32> = frame.touched.iter().copied().collect();
            touched.sort_unstable();
            let mut written: Vec<u32> = frame.written.iter().copied().collect();
            written.sort_unstable();
            // The results of a recursive function have one class.
            let new = exit.first().cloned().map(|(state, result)| outcome(&entry, &written, state, result));
            let Some(running) = self.contexts.running.get_mut(&function) else { return Err(Stop::OutOfBudget) };
            let grows = touched.iter().any(|key| !running.touched.contains(key));
            let (is_dirty, old) = (running.is_dirty, running.outcome.clone());
            running.touched.extend(touched);
            let joined = self.join_outcomes(function, old.clone(), new, &entry, rounds);
            let is_stable = !is_dirty && !grows && joined == old;
            if is_stable {
                self.contexts.running.remove(&function);
                let waits_for_others = frame.is_provisional && !self.contexts.running.is_empty();
                if waits_for_others {
                    self.frame().is_provisional = true;
                }
                let depends_on_all = frame.depends_on_all;
                let index = self.keep(function, call_string, args, entry, exit, frame);
                if !waits_for_others && !depends_on_all {
                    self.contexts.by_function.entry(function).or_default().push(index);
                }
                return Ok(index);
            }
            if let Some(running) = self.contexts.running.get_mut(&function) {
                running.outcome = joined;
            }
        }
    }

    /// Joins the outcomes of two rounds, and widens them after some rounds.
    pub(super) fn join_outcomes(
        &self,
        function: FuncId,
        old: Option<Outcome>,
        new: Option<Outcome>,
        entry: &Memory,
        rounds: u32,
    ) -> Option<Outcome> {
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (old, new) => return new.or(old),
        };
        let thresholds = super::bounds();
        let chosen = (rounds > 3).then_some(&thresholds[..]);
        let mut keys: Vec<u32> = old.writes.iter().chain(&new.writes).map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let state = |outcome: &Outcome| {
            let mut memory = Memory::default();
            for &key in &keys {
                let written = outcome.writes.iter().find(|(other, _)| *other == key);
                let object = match written {
                    Some((_, object)) => object.clone(),
                    None => entry.get(key).cloned(),
                };
                if let Some(object) = object {
                    memory.insert(key, object);
                }
            }
            memory
        };
        let joined = combine(&state(&old), &state(&new), &self.table, chosen);
        let writes = keys.iter().map(|&key| (key, joined.get(key).cloned())).collect();
        let ret = self.program.functions[function.index()].signature.ret;
        let width = ret.map_or(64, |ty| self.width(ty));
        let result = match chosen {
            Some(thresholds) => old.result.widen(&new.result, width, self.pointer, thresholds),
            None => old.result.join(&new.result, width, self.pointer),
        };
        let fates = old.fates.merge(&new.fates, &mut |key, a, b| {
            let itself = Value::pointer(Obj(key), crate::domain::number::Num::constant(0, self.pointer));
            Some(a.unwrap_or(&itself).join(b.unwrap_or(&itself), self.pointer, self.pointer))
        });
        let is_tainted = old.is_tainted || new.is_tainted;
        let writes_anywhere = old.writes_anywhere || new.writes_anywhere;
        Some(Outcome { writes, fates, result, is_tainted, writes_anywhere })
    }
}

/// Returns the effect of a call from the states before and after it.
pub(super) fn outcome(entry: &Memory, written: &[u32], state: State, result: Value) -> Outcome {
    // A written object counts even if it looks unchanged, because the context may apply to smaller states.
    let exists = |key: u32| entry.get(key).is_some() || state.memory.get(key).is_some();
    let writes = written.iter().filter(|&&key| exists(key)).map(|&key| (key, state.memory.get(key).cloned())).collect();
    let mut fates = Map::default();
    for (key, fate) in state.fates.entries() {
        // Only pointers to objects that existed before the call can be elsewhere.
        if entry.get(key).is_some() {
            fates.insert(key, fate.clone());
        }
    }
    Outcome { writes, fates, result, is_tainted: state.is_tainted, writes_anywhere: state.writes_anywhere }
}
