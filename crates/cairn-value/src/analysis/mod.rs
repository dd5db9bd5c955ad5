//! The fixpoint computation.
//!
//! A call is analysed for the state at the call, and the result is kept as a *context*: it is reused wherever the function is called with the
//! same arguments and the same contents of the objects that it looked at (`contexts.rs`). Programs for which that takes too long have one
//! summary per function instead (`summaries.rs`). Within a function, blocks are visited in an order
//! in which loops are finished before the code after them (`fixpoint.rs`).

pub mod contexts;
pub mod fixpoint;
pub mod frame;
pub mod plan;
pub mod relations;
pub mod state;
mod summaries;
mod unroll;
pub mod wild;
pub mod world;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_ir::analysis::constants::for_constants;
use cairn_ir::inst::Passing;
use cairn_ir::{BlockId, CheckId, CheckKind, Checks, FuncId, Operand, Program, Reg, SlotId, Terminator, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::contexts::Contexts;
use crate::analysis::frame::Frame;
use crate::analysis::plan::Plan;
use crate::analysis::state::State;
use crate::analysis::summaries::Summaries;
use crate::analysis::wild::Wild;
use crate::analysis::world::{Kind, Point, Table};
use crate::domain::memory::Memory;
use crate::domain::number::{Num, mask};
use crate::domain::object::{Back, Object};
use crate::domain::value::{Obj, Target, Text, Value};
use crate::transfer::jumps::Jumps;
use cairn_portfolio::assumption::STATED;

use crate::limits::{MAX_THRESHOLDS, MIN_VISITS, VISITS_BEFORE_WORST_CASE, VISITS_PER_BLOCK};

/// Why the analysis ends before its result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program does something that the analysis does not follow.
    NotModelled(String),
    /// The limit of work was reached.
    OutOfBudget,
    /// The program does something that only summaries follow.
    NeedsSummaries,
    /// A function is recursive that was not known to be.
    Restart,
}

/// How calls are analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// For the state of each call.
    Contexts,
    /// For all calls of a function at once.
    Summaries,
}

/// How much is forgotten of what still changes after many changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Forgetting {
    /// The integers and offsets.
    Numbers,
    /// The layout of objects.
    Layout,
    /// Everything.
    All,
}

impl Forgetting {
    /// Returns what is forgotten after a number of changes; nothing before `most`.
    pub(crate) fn after(changes: u32, most: u32) -> Option<Self> {
        match changes / most.max(1) {
            0 => None,
            1 => Some(Forgetting::Numbers),
            2 => Some(Forgetting::Layout),
            _ => Some(Forgetting::All),
        }
    }

    /// Forgets a value.
    pub(crate) fn value(self, value: &Value, width: u32, pointer: u32) -> Value {
        if self == Forgetting::All {
            return Value::anything(width);
        }
        let mut value = value.smear(width, pointer);
        value.num = value.num.map(|_| Num::full(width.min(64)));
        value
    }

    /// Forgets what differs between an object and an older one.
    pub(crate) fn object(self, old: Option<&Object>, new: &Object, pointer: u32) -> Object {
        let mut result = new.clone();
        match (self, old) {
            (Forgetting::Numbers, Some(old)) => result.loosen(old, pointer),
            (Forgetting::Numbers, None) => {}
            (Forgetting::Layout, _) => result.collapse(pointer),
            (Forgetting::All, _) => result.forget(),
        }
        result
    }
}

/// The choices of the task.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// The only way to analyse calls, for tests; by default, summaries follow if contexts take too long.
    pub only: Option<Precision>,
}

impl Options {
    /// Returns the ways to analyse calls, the most precise one first.
    pub fn precisions(self) -> &'static [Precision] {
        match self.only {
            None => &[Precision::Contexts, Precision::Summaries],
            Some(Precision::Contexts) => &[Precision::Contexts],
            Some(Precision::Summaries) => &[Precision::Summaries],
        }
    }
}

/// The analysis of a program.
pub struct Analysis<'p> {
    /// The program.
    pub program: &'p Program,
    /// The width of pointers in bits.
    pub pointer: u32,
    /// The table of objects.
    pub table: Table<'p>,
    /// The choices of the task.
    pub options: Options,
    /// How calls are analysed.
    pub precision: Precision,
    /// The objects of slots and labels, and their initial states.
    pub objects: Objects,
    /// What the results rest on.
    pub grounds: Grounds,
    /// Whether the access at hand is known to be in bounds by a relation.
    pub is_in_bounds: bool,
    /// Further states after the instruction at hand, besides the one that it changes.
    pub alternatives: Vec<State>,
    /// Whether each check was evaluated in a final state.
    pub evaluated: Vec<bool>,
    /// What pointers that may point anywhere change.
    pub wild: Wild,
    /// Whether that has become more, so that the analysis has to start again.
    pub has_new_wild: bool,
    /// The states of the calls of `longjmp`.
    pub jumps: Jumps,
    /// The values that instructions assign, if they are asked for.
    pub observed: Option<FxHashMap<Point, Value>>,
    frames: Vec<Frame>,
    plans: FxHashMap<FuncId, Rc<Plan>>,
    contexts: Contexts,
    summaries: Summaries,
    thresholds: Vec<u64>,
    work: Work,
}

/// The objects that the code of functions names.
#[derive(Default)]
pub struct Objects {
    /// The objects of the slots of the function at hand.
    pub slots: Rc<[Obj]>,
    /// The objects of the slots of each function.
    slots_of: FxHashMap<FuncId, Rc<[Obj]>>,
    /// The objects of labels.
    pub labels: FxHashMap<(FuncId, BlockId), Obj>,
    /// The initial states of objects, as far as they were needed.
    pub initial: FxHashMap<Obj, Rc<Object>>,
}

/// What the results rest on.
#[derive(Default)]
pub struct Grounds {
    /// The functions without a body that were called.
    pub assumed: BTreeSet<String>,
    /// What is not supported and was reached.
    unsupported: BTreeSet<String>,
    /// Whether a library model gives one outcome of several.
    has_single_outcome: bool,
}

/// The work that was done, and its limit.
#[derive(Debug)]
struct Work {
    visits: u64,
    most: u64,
    /// The blocks of the program.
    blocks: u64,
    cancel: Arc<AtomicBool>,
    /// The visits of loops that were executed iteration by iteration in vain.
    wasted: FxHashMap<(FuncId, BlockId), u64>,
}

/// The result of the analysis.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The checks that hold.
    pub proved: Vec<CheckId>,
    /// The proved checks that rest on assumptions.
    pub resting: FxHashSet<CheckId>,
    /// Whether there may be faults that belong to no check.
    pub has_other_faults: bool,
}

impl<'p> Analysis<'p> {
    /// Prepares the analysis of a program. `recursive` are functions that are known to be recursive beside those that call themselves by name.
    pub fn new(
        program: &'p Program,
        options: Options,
        precision: Precision,
        recursive: &FxHashSet<FuncId>,
        cancel: Arc<AtomicBool>,
    ) -> Self {
        let mut table = Table::new(program);
        let mut labels = FxHashMap::default();
        let mut blocks = 0;
        for (index, function) in program.functions.iter().enumerate() {
            let Some(body) = &function.body else { continue };
            blocks += body.blocks.len() as u64;
            for block in &body.blocks {
                if let Terminator::JumpTo { targets, .. } = &block.end {
                    for &target in targets {
                        let function = FuncId::new(index);
                        labels.insert((function, target), table.id(Kind::Label(function, target)));
                    }
                }
            }
        }
        let most = match precision {
            Precision::Contexts => MIN_VISITS + VISITS_PER_BLOCK * blocks,
            // Summaries forget more and more until they come to an end.
            Precision::Summaries => u64::MAX,
        };
        Analysis {
            program,
            pointer: program.target.pointer_bits(),
            table,
            options,
            precision,
            objects: Objects { labels, ..Objects::default() },
            grounds: Grounds::default(),
            is_in_bounds: false,
            alternatives: Vec::new(),
            evaluated: vec![false; program.checks.len()],
            wild: Wild::default(),
            has_new_wild: false,
            jumps: Jumps::default(),
            observed: None,
            frames: Vec::new(),
            plans: FxHashMap::default(),
            contexts: Contexts::new(program, recursive),
            summaries: Summaries::default(),
            thresholds: thresholds(program),
            work: Work { visits: 0, most, blocks, cancel, wasted: FxHashMap::default() },
        }
    }

    /// Returns the functions that turned out to be recursive.
    pub fn recursive(&self) -> &FxHashSet<FuncId> {
        &self.contexts.recursive
    }

    /// Returns the assumptions: functions without a body, or statements in the form of `cairn_portfolio::assumption`.
    pub fn assumptions(&self) -> BTreeSet<String> {
        let unsupported = self.grounds.unsupported.iter().map(|what| format!("{STATED}no execution reaches {what}"));
        let outcomes = self
            .grounds
            .has_single_outcome
            .then(|| format!("{STATED}library models that know one outcome give the outcome of the environment"));
        self.grounds.assumed.iter().cloned().chain(unsupported).chain(outcomes).collect()
    }

    /// Returns the effects of pointers that may point anywhere, for a restart: the worst ones if much work was done.
    pub fn wild_after_restart(&self) -> Wild {
        let is_long = self.work.visits > MIN_VISITS + VISITS_BEFORE_WORST_CASE * self.work.blocks;
        if self.has_new_wild && is_long { Wild::everything() } else { self.wild }
    }

    /// Returns the number of blocks that were visited.
    pub fn visits(&self) -> u64 {
        self.work.visits
    }

    /// Analyses the program from its entry.
    ///
    /// # Errors
    /// If the program does something that is not followed, or the work exceeds its limit.
    pub fn run(&mut self, entry: FuncId) -> Result<Findings, Stop> {
        if self.precision == Precision::Summaries {
            self.run_summaries(entry)?;
        } else {
            self.frames.push(Frame { is_final: true, ..Frame::default() });
            self.run_program(entry)?;
        }
        if self.has_new_wild {
            return Err(Stop::Restart);
        }
        let root = self.frames.pop().unwrap_or_default();
        let mut findings = self.contexts.conclude(self.program, &root);
        if !self.assumptions().is_empty() {
            // Code that no execution reaches may be reached without the assumptions.
            let rests = |check: &&CheckId| !self.grounds.unsupported.is_empty() || !self.evaluated[check.index()];
            let resting: Vec<CheckId> = findings.proved.iter().filter(rests).copied().collect();
            findings.resting.extend(resting);
        }
        Ok(findings)
    }

    /// Executes the program in the outermost frame.
    fn run_program(&mut self, entry: FuncId) -> Result<(), Stop> {
        let mut memory = Memory::default();
        let args = self.entry_arguments(entry, &mut memory)?;
        let status = self.enter(entry, args, &mut memory, false)?;
        // The end of `main` calls `exit`, which runs the functions that `atexit` registered.
        let exit = self.program.function_named("exit").filter(|id| {
            let function = &self.program.functions[id.index()];
            function.body.is_some() && function.signature.params == [Passing::Scalar(Ty::I32)]
        });
        if let (Some((value, is_tainted)), Some(exit)) = (status, exit) {
            let is_status = self.program.functions[entry.index()].signature.ret == Some(Ty::I32);
            let value = if is_status { value } else { Value::constant(0, 32) };
            self.enter(exit, vec![value], &mut memory, is_tainted)?;
        }
        Ok(())
    }

    /// Returns the arguments of the entry function: any number of any strings.
    fn entry_arguments(&mut self, entry: FuncId, memory: &mut Memory) -> Result<Vec<Value>, Stop> {
        let params = self.program.functions[entry.index()].signature.params.clone();
        let mut args = Vec::new();
        for (index, passing) in params.iter().enumerate() {
            let Passing::Scalar(ty) = passing else {
                return Err(Stop::NotModelled("an entry function that takes a struct".to_owned()));
            };
            args.push(match (index, ty) {
                (0, Ty::I32) => Value::num(Num::between(1, 0x7fff_ffff)),
                (1 | 2, Ty::Ptr) => self.strings(memory),
                (_, Ty::Ptr) => Value::constant(0, self.pointer),
                _ => Value::any(self.width(*ty)),
            });
        }
        Ok(args)
    }

    /// Creates an array of strings that ends with null.
    fn strings(&mut self, memory: &mut Memory) -> Value {
        let (array, text) = (self.table.id(Kind::Arguments), self.table.id(Kind::ArgumentText));
        let most = (1u64 << (self.pointer - 2)) - 1;
        let word = self.pointer / 8;
        let mut strings = Object::new(Num::between(1, most), Back::ANY);
        strings.is_single = false;
        memory.insert(text.0, Rc::new(strings));
        let size = Num { lo: 2 * u64::from(word), span: (most / 16) * 8, stride: u64::from(word) };
        let mut list = Object::new(size, Back::ZERO);
        list.is_single = false;
        let mut element = Value::constant(0, self.pointer);
        let zero = Num::constant(0, self.pointer);
        element.add_target(Target { obj: text, offset: zero, text: Text::Unknown }, self.pointer);
        let everywhere = Num { lo: 0, span: size.lo + size.span, stride: u64::from(word) };
        list.store(array, everywhere, word, &element, &self.table);
        memory.insert(array.0, Rc::new(list));
        Value::pointer(array, zero)
    }

    /// Returns the innermost call.
    pub fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Returns the function at hand.
    pub fn function(&self) -> FuncId {
        self.frames.last().map_or(FuncId(u32::MAX), |frame| frame.function.0)
    }

    /// Returns the program point at hand.
    pub fn point(&self) -> Point {
        let at = self.frames.last().map_or((0, 0), |frame| frame.at);
        (self.function(), at.0, at.1)
    }

    /// Records that the analysis depends on an object.
    pub fn touch(&mut self, obj: Obj) {
        self.frame().touched.insert(obj.0);
    }

    /// Records that a check may be violated.
    pub fn alarm(&mut self, checks: Checks, kind: CheckKind) {
        let program = self.program;
        let frame = self.frame();
        if !frame.is_final {
            return;
        }
        match checks.iter().find(|check| program.checks[check.index()].kind == kind) {
            Some(check) => {
                frame.alarms.insert(check);
            }
            None => frame.has_other_faults = true,
        }
    }

    /// Records that unsupported code is reached. The analysis does not follow executions beyond it.
    pub fn unsupported(&mut self, what: &str) {
        self.grounds.unsupported.insert(what.to_owned());
    }

    /// Records that a library model gives one outcome of several.
    pub fn single_outcome(&mut self) {
        self.grounds.has_single_outcome = true;
    }

    /// Returns the integer type of pointer width.
    pub fn word(&self) -> Ty {
        if self.pointer == 32 { Ty::I32 } else { Ty::I64 }
    }

    /// Returns the type of a register.
    pub fn reg_ty(&self, reg: Reg) -> Ty {
        self.plans.get(&self.function()).and_then(|plan| plan.types.get(reg.index())).copied().unwrap_or(Ty::I64)
    }

    /// Returns the size of a slot.
    pub fn slot_size(&self, slot: SlotId) -> u64 {
        let body = self.program.functions[self.function().index()].body.as_ref();
        body.and_then(|body| body.slots.get(slot.index())).map_or(0, |slot| slot.size)
    }

    /// Returns whether a function is recursive.
    pub fn is_recursive(&self, function: FuncId) -> bool {
        self.contexts.recursive.contains(&function)
    }

    fn plan(&mut self, function: FuncId) -> Option<Rc<Plan>> {
        if let Some(plan) = self.plans.get(&function) {
            return Some(plan.clone());
        }
        let body = self.program.functions[function.index()].body.as_ref()?;
        let plan = Rc::new(Plan::of(body, self.program.target));
        let slots: Rc<[Obj]> =
            (0..body.slots.len()).map(|index| self.table.id(Kind::Slot(function, SlotId::new(index)))).collect();
        self.objects.slots_of.insert(function, slots);
        self.plans.insert(function, plan.clone());
        Some(plan)
    }

    /// Counts the visit of a block.
    fn count_visit(&mut self) -> Result<(), Stop> {
        self.work.visits += 1;
        if self.work.visits > self.work.most || self.work.cancel.load(Ordering::Relaxed) {
            return Err(Stop::OutOfBudget);
        }
        if self.has_new_wild { Err(Stop::Restart) } else { Ok(()) }
    }

    /// Returns the register of an operand.
    pub fn as_register(operand: Operand) -> Option<Reg> {
        match operand {
            Operand::Reg(reg) => Some(reg),
            _ => None,
        }
    }
}

/// Collects the constants of a program, at which widening stops.
fn thresholds(program: &Program) -> Vec<u64> {
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for_constants(program, &mut |_, value| {
        let value = value as u64;
        for near in [value.wrapping_sub(1), value, value.wrapping_add(1)] {
            *counts.entry(near).or_default() += 1;
        }
    });
    let mut all: Vec<(u32, u64)> = counts.into_iter().map(|(value, count)| (count, value)).collect();
    all.sort_unstable_by_key(|&(count, value)| (std::cmp::Reverse(count), value));
    all.truncate(MAX_THRESHOLDS);
    let mut values: Vec<u64> = all.into_iter().map(|(_, value)| value).collect();
    values.extend(bounds());
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns the bounds of the integer types, at which every widening may stop.
pub(crate) fn bounds() -> Vec<u64> {
    let mut values = vec![0, u64::MAX];
    for width in [8, 16, 32, 64] {
        values.extend([mask(width), mask(width) >> 1, (mask(width) >> 1) + 1]);
    }
    values.sort_unstable();
    values.dedup();
    values
}
