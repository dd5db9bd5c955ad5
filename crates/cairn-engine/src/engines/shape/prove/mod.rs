//! Symbolic execution with abstraction: *proving*.
//!
//! The steps are those of exploring. At the heads of loops (and where many branches meet) a state forgets what it does not need any more ([`clean`]), is dropped
//! when a state that was there before covers it, and is joined with one otherwise ([`pair`], [`numeric`]), so that the set of
//! states is finite. What looks like a violation here is an *alarm*: some state of the abstraction has it, perhaps none of the
//! program. One alarm, one gap or one state too many, and nothing is proved.

#[cfg(test)]
mod agreement;
mod alternatives;
mod callgraph;
mod candidates;
mod clean;
mod consequence;
mod contexts;
mod eliminate;
mod fit;
mod flow;
mod fold;
pub mod invariant;
mod kinds;
mod levels;
mod links;
mod loops;
mod neighbours;
mod numeric;
pub(super) mod pair;
mod paths;
mod references;
mod sequences;
mod shapes;
mod split;
mod tables;
#[cfg(test)]
pub(super) mod tests;
mod touched;
mod trees;
mod values;
mod veil;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::{BinaryOp, BlockId, FuncId, Inst, Operand, Program, Terminator};
use cairn_smt::Session;
use rustc_hash::{FxHashMap, FxHashSet};

use self::callgraph::Called;
use self::contexts::Context;
use self::flow::Flow;
pub(super) use self::kinds::Kinds;
pub(super) use self::links::Links;
use self::pair::{Pairing, Purpose};
use self::touched::LoopRegisters;
pub(super) use self::trees::TreeShape;
use super::alarm::{Alarm, Alarms};
use super::allocation::AllocationCheck;
use super::formula::HeapGraph;
use super::linear::LinearFirst;
use super::state::{Stage, State};
use super::{Explorer, Options};
use crate::calls::Calls;
use crate::memory::object::{End, ObjectKind};
use crate::reach::{Domain, Merge};

/// States at one place that are kept apart because constants differ that the program uses as marks.
const MARKED_STATES: usize = 24;

/// The same where there is a heap.
const MARKED_SHAPES: usize = 48;

/// States that are kept apart where branches meet.
const MEETING_STATES: usize = 8;

/// States after which nodes are folded also where branches meet.
const CROWD: usize = 24;

/// States at one place that are kept apart because one has a single node where another has a list.
const SINGLE_STATES: usize = 2;

/// States at one place that are kept apart because one has nothing where another has a list. Of several lists mostly one or the other
/// is empty, not all of them.
const EMPTY_STATES: usize = 12;

/// The same for lists that the loop at hand can't touch: those of loops outside.
const UNTOUCHED_STATES: usize = 4;

/// States at one place that are kept apart because one has a null pointer where that of another leads to something that is gone. There are
/// more of them than one can tell apart where the lists of a table are freed.
const DANGLING_STATES: usize = 8;

/// States at one place beyond which there is no hope.
const MAX_STATES: usize = 120;

/// Conflicts after which a question is given up.
const CONFLICTS: u64 = 20_000;

/// Calls of one function on the stack that are followed.
const RECURSION: usize = 24;

/// Proves a program.
pub struct Prover<'p> {
    /// The engine, in proving mode.
    pub explorer: Explorer<'p>,
    flows: FxHashMap<FuncId, Rc<Flow>>,
    called: Vec<Called>,
    contexts: Vec<Context>,
    /// Which calls are analysed apart from their callers.
    pub calls: Calls,
    /// Whether only those are that recur, unless all are.
    pub follows: bool,
    /// Whether the proof goes on after an alarm, to prove what it can of the rest.
    pub goes_on: bool,
    /// Calls that a context was found for.
    reused: u64,
    /// States at places that others have taken the place of.
    replaced: FxHashSet<u64>,
    /// Places where branches meet and many states are.
    crowded: FxHashSet<Place>,
    /// Questions to the solver up to the last step.
    asked: u64,
}

/// Where states are compared: in which call, whether that begins or ends, and for each active call the block and the instruction.
pub type Place = (u32, Stage, Vec<(FuncId, BlockId, usize)>);

impl<'p> Prover<'p> {
    /// A prover of a program.
    ///
    /// # Errors
    /// When there is no entry function with a body.
    pub fn new(program: &'p Program, options: Options, session: Session) -> Result<Self, String> {
        let mut session = session.wrapped(LinearFirst::before);
        session.set_conflict_budget(Some(CONFLICTS));
        // The paper's procedures look for an object cell by cell; segments have none.
        let options = Options { allocation_check: AllocationCheck::default(), ..options };
        let mut explorer = Explorer::new(program, options, session)?;
        explorer.proving = true;
        explorer.thresholds = Rc::new(thresholds(program));
        explorer.marks = Rc::new(marks(program));
        explorer.links = Links::of(program);
        explorer.kinds = Kinds::of(program);
        let mut flows = FxHashMap::default();
        for (index, function) in program.functions.iter().enumerate() {
            if let Some(body) = &function.body {
                flows.insert(FuncId::new(index), Rc::new(Flow::of(body, program.target)));
            }
        }
        let has_loop =
            |function: FuncId| flows.get(&function).is_some_and(|flow: &Rc<Flow>| flow.heads.contains(&true));
        let called = callgraph::called(program, &explorer.options.entry, has_loop);
        // Recursion goes through trees, and so does a loop that goes on from a node by one cell or another.
        explorer.seeks_trees = called.iter().any(|callee| callee.alone && callee.recursive) || descends_trees(program);
        Ok(Self {
            explorer,
            flows,
            called,
            contexts: Vec::new(),
            calls: Calls::default(),
            follows: false,
            goes_on: false,
            reused: 0,
            replaced: FxHashSet::default(),
            crowded: FxHashSet::default(),
            asked: 0,
        })
    }

    /// Keeps the formulas of all states from now on.
    pub fn record_states(&mut self) {
        self.explorer.record = Some(BTreeMap::new());
    }

    /// The formulas of the states after each line, in the order of the functions and lines.
    pub fn recorded(&self) -> impl Iterator<Item = (FuncId, u32, &BTreeMap<String, HeapGraph>)> {
        self.explorer.record.iter().flatten().map(|(&(function, line), formulas)| (function, line, formulas))
    }

    /// The first reason why nothing is proved; `None` while there is none.
    pub fn trouble(&self) -> Option<String> {
        self.alarm().map(|alarm| alarm.to_string()).or_else(|| self.explorer.gaps.first().cloned())
    }

    /// The first alarm.
    pub fn alarm(&self) -> Option<&Alarm> {
        self.alarms().found.keys().next()
    }

    /// What could not be ruled out.
    pub fn alarms(&self) -> &Alarms {
        &self.explorer.alarms
    }

    /// What a state's block is to its function, when the state has just entered it.
    fn block_of(&self, state: &State) -> Option<(&Flow, usize)> {
        let frame = state.frames.last().filter(|_| state.arrived)?;
        Some((self.flows.get(&frame.function)?, frame.block.index()))
    }

    /// Whether states are compared where this one stands: at the heads of loops, and where branches meet.
    fn is_place(&self, state: &State) -> bool {
        state.stage != Stage::Running
            || self.block_of(state).is_some_and(|(flow, block)| flow.heads[block] || flow.meets[block])
    }

    /// Whether so many states stand where branches meet that what they have in common matters more than what was found out about
    /// single nodes.
    fn is_crowded(&self, state: &State) -> bool {
        !self.crowded.is_empty() && self.place(state).is_some_and(|place| self.crowded.contains(&place))
    }

    fn is_head(&self, state: &State) -> bool {
        self.block_of(state).is_some_and(|(flow, block)| flow.heads[block])
    }

    /// The registers of what looks at a state: those of the innermost loop that it is in, where it matters what that can touch. That
    /// is deep in loops, and where there are many lists.
    fn loop_registers(&self, state: &State) -> LoopRegisters {
        // What a call returns with was looked at in the call, and what its caller has besides, nobody looked at.
        if state.stage == Stage::Resumed {
            return touched::nothing();
        }
        let frame = state.frames.last()?;
        let (flow, block) = (self.flows.get(&frame.function)?, frame.block.index());
        match &flow.registers[block] {
            Some(registers) => (flow.deep[block] || touched::has_many_lists(state)).then(|| Rc::clone(registers)),
            None => touched::has_many_lists(state).then(touched::nothing).flatten(),
        }
    }

    /// Lets states go on that have run to the end of a block, in a call stack of this depth: to a place, into a call or a loop, or out
    /// of one.
    fn go_on(&mut self, next: Vec<State>, (depth, from): (usize, BlockId), out: &mut Vec<State>) {
        for mut state in next {
            let function = state.top().function;
            if self.leaves_loop(&state) {
                (state.stage, state.arrived) = (Stage::Returned, false);
            } else if state.frames.len() == depth
                && let Some(inner) = self.loop_entered(&state, from)
            {
                self.enter_loop(state, &inner, out);
                continue;
            }
            if state.frames.len() > depth && self.is_summarised(function) {
                state.stage = Stage::Calling;
                if !self.is_recursive(function) {
                    self.enter_now(state, out);
                    continue;
                }
            }
            if self.is_place(&state) {
                // Only where states come again and again nodes are folded: where branches meet, and where a call begins, what was found
                // out about a node is still of use.
                let folding = match state.stage {
                    Stage::Running => self.is_head(&state) || self.is_crowded(&state),
                    Stage::Returned => self.is_recursive(function),
                    Stage::Calling | Stage::Entered | Stage::Resumed => false,
                };
                let registers = self.loop_registers(&state);
                self.explorer.clean(state, folding, &registers, out);
                continue;
            }
            if state.frames.iter().filter(|f| f.function == function).count() > RECURSION {
                self.explorer.gaps.insert("recursion".to_owned());
                continue;
            }
            out.push(state);
        }
    }

    /// The state that covers two others; nothing, when their shapes differ.
    fn join(&mut self, new: &State, old: &State) -> Option<State> {
        let pairing = self.explorer.pair_states(new, old, Purpose::Join)?;
        Some(self.joined(pairing))
    }

    fn joined(&mut self, pairing: Pairing<'_>) -> State {
        let path = self.explorer.joined_path(&pairing);
        let joins = pairing.old.joins + 1;
        let mut result = pairing.result;
        Rc::make_mut(&mut result.own).extend(&pairing.fresh);
        result.path = path;
        self.explorer.forget_dangling(&mut result);
        self.explorer.bound_lengths(&mut result);
        result.joins = joins;
        result
    }
}

impl Domain for Prover<'_> {
    type State = State;
    type Place = Place;

    fn entry(&mut self) -> Vec<State> {
        self.explorer.start()
    }

    fn step(&mut self, mut state: State, out: &mut Vec<State>) {
        self.explorer.steps += 1;
        match state.stage {
            Stage::Running => {}
            Stage::Resumed if state.top().inst == 0 => return self.arrive_after_loop(state, out),
            Stage::Entered if self.loop_of_context(&state).is_some() => return self.arrive_at_head(state, out),
            Stage::Entered | Stage::Resumed => state.stage = Stage::Running,
            Stage::Calling => return self.enter(state, out),
            Stage::Returned => return self.leave(state, out),
        }
        let from = (state.frames.len(), state.top().block);
        let mut next = Vec::new();
        self.explorer.run_block(state, &mut next);
        for (context, loc) in std::mem::take(&mut self.explorer.ended) {
            self.end_program(context, loc);
        }
        self.go_on(next, from, out);
    }

    fn place(&self, state: &State) -> Option<Place> {
        let at = |frame: &Rc<super::state::Frame>| (frame.function, frame.block, frame.inst);
        self.is_place(state).then(|| (state.context, state.stage, state.frames.iter().map(at).collect()))
    }

    fn merge(&mut self, new: &State, old: &State, known: usize) -> Merge<State> {
        if known > MAX_STATES {
            self.explorer.gaps.insert("too many shapes at a loop".to_owned());
        }
        // Where branches meet, their states stay apart as long as they are few.
        let head = match new.stage {
            Stage::Running => self.is_head(new),
            Stage::Calling | Stage::Resumed => false,
            Stage::Entered => return Merge::Apart,
            Stage::Returned => self.is_recursive(new.top().function),
        };
        if known < MEETING_STATES && !head {
            return Merge::Apart;
        }
        if known > CROWD && !head {
            self.crowded.extend(self.place(new));
        }
        // The result has the segments of one of the two: of the old one, or else of the new.
        let turned = State { joins: old.joins, ..new.clone() };
        let pairing = self.explorer.pair_states(new, old, Purpose::Join);
        let pairing = pairing.or_else(|| self.explorer.pair_states(old, &turned, Purpose::Join));
        let Some(pairing) = pairing else { return Merge::Apart };
        // Whether a list between two links of a node has nodes is looked at where the program does.
        let segments = pairing.absent.iter().copied().filter(|&id| pairing.old.memory.get(id).segment.is_some());
        let touched = self.explorer.touched(pairing.old, &self.loop_registers(pairing.old));
        let (mut empty, mut beyond) = (false, false);
        for id in segments {
            if !levels::is_lower_level(&mut self.explorer, pairing.old, id)
                && !self.explorer.is_in_table(pairing.old, id)
            {
                let is_touched = touched.as_ref().is_none_or(|touched| touched.contains(&id));
                empty |= is_touched;
                beyond |= !is_touched;
            }
        }
        if beyond && known < UNTOUCHED_STATES {
            return Merge::Apart;
        }
        if (pairing.met && known < SINGLE_STATES)
            || (empty && known < EMPTY_STATES)
            || (pairing.dangling && known < DANGLING_STATES)
        {
            return Merge::Apart;
        }
        // Marks on the heap are a part of its shape.
        let limit = match (has_heap(new), head) {
            (true, _) => MARKED_SHAPES,
            (false, true) => MARKED_STATES,
            (false, false) => 0,
        };
        if known < limit && pairing.constants.iter().any(|c| self.explorer.is_mark(*c)) {
            return Merge::Apart;
        }
        Merge::Into(self.joined(pairing))
    }

    fn number(&self, state: &mut State, number: u64) {
        state.origin = number;
    }

    fn origins(&self, state: &State) -> Option<(u64, u64)> {
        // What follows a call comes from the call and from its return.
        (state.stage == Stage::Resumed).then_some((state.origin, state.returned))
    }

    fn replaced(&mut self, number: u64) {
        self.replaced.insert(number);
    }

    fn covered(&mut self, new: &State, reached: &[State]) -> bool {
        // A call that is analysed apart begins with one state only, whoever waits for it.
        if new.stage == Stage::Entered {
            return !reached.is_empty();
        }
        reached.iter().any(|old| {
            let pairing = self.explorer.pair_states(new, old, Purpose::Cover);
            pairing.is_some_and(|pairing| self.explorer.is_covered_by(&pairing))
        })
    }

    fn depth(&self, _: &State) -> u32 {
        0
    }

    fn rank(&self, state: &State) -> Vec<u32> {
        let mut rank = self.rank_of_context(state.context);
        for frame in &state.frames {
            let block = self.flows.get(&frame.function).map_or(0, |flow| flow.rank[frame.block.index()]);
            rank.extend([block, frame.inst as u32]);
        }
        // What is called comes before what follows the call.
        rank.push(u32::MAX);
        rank
    }

    fn effort(&mut self) -> u64 {
        // Most of what a step takes are questions of joining and covering.
        let before = std::mem::replace(&mut self.asked, self.explorer.statistics().queries);
        1 + self.asked - before
    }

    fn done(&self) -> bool {
        // Whoever wants to see the states wants those behind an alarm, too.
        let alarms = &self.explorer.alarms;
        let ends = if self.goes_on { !alarms.follow_all_runs() } else { !alarms.found.is_empty() };
        (ends && self.explorer.record.is_none()) || !self.explorer.gaps.is_empty()
    }
}

impl Explorer<'_> {
    /// Whether two different constants are marks: the program tells cases apart by them and does not count with them.
    fn is_mark(&self, (a, b, counted): (i128, i128, bool)) -> bool {
        !counted && self.marks.contains(&a) && self.marks.contains(&b)
    }
}

fn has_heap(state: &State) -> bool {
    state.memory.iter().any(|(_, object)| object.kind == ObjectKind::Heap && object.end == End::Live)
}

/// Whether some variable goes on from a node now by one cell and now by another.
fn descends_trees(program: &Program) -> bool {
    let descends = |body: &cairn_ir::Body| {
        let mut ways: FxHashMap<cairn_ir::Reg, i64> = FxHashMap::default();
        body.blocks.iter().flat_map(|block| &block.insts).any(|inst| match *inst {
            Inst::Load { dst, addr: Operand::Reg(from), offset, ty: cairn_ir::Ty::Ptr, .. } if dst == from => {
                *ways.entry(dst).or_insert(offset) != offset
            }
            _ => false,
        })
    };
    program.functions.iter().filter_map(|function| function.body.as_ref()).any(descends)
}

/// Numbers that are added or multiplied with a bound of the program, to make further bounds.
const MAX_STEPS: usize = 16;

/// Constants that the program compares with, and their neighbours, and sizes: where bounds are likely. What is below one of them may
/// be beyond it after a step.
fn thresholds(program: &Program) -> BTreeSet<i128> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    let mut near = |value: i128| found.extend([value - 1, value, value + 1]);
    let (mut compared, mut added, mut factors) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
        for inst in body.blocks.iter().flat_map(|b| &b.insts) {
            match *inst {
                Inst::Compare { lhs, rhs, .. } => {
                    for operand in [lhs, rhs] {
                        if let Operand::Int(value) = operand {
                            near(value.into());
                            compared.insert(i128::from(value));
                        }
                    }
                }
                Inst::Binary { op: BinaryOp::Add, lhs: Operand::Int(value), .. }
                | Inst::Binary { op: BinaryOp::Add | BinaryOp::Sub, rhs: Operand::Int(value), .. } => {
                    added.insert(i128::from(value).abs());
                }
                Inst::Binary { op: BinaryOp::Mul, lhs: Operand::Int(value), .. }
                | Inst::Binary { op: BinaryOp::Mul, rhs: Operand::Int(value), .. } => {
                    factors.insert(i128::from(value).abs());
                }
                Inst::Binary { op: BinaryOp::Shl, rhs: Operand::Int(bits @ 0..32), .. } => {
                    factors.insert(1 << bits);
                }
                Inst::Move { src: Operand::Int(value), .. } | Inst::Store { src: Operand::Int(value), .. } => {
                    near(value.into());
                }
                _ => {}
            }
        }
        body.slots.iter().for_each(|slot| near(slot.size.into()));
    }
    program.globals.iter().for_each(|global| near(global.size.into()));
    for bound in compared {
        added.iter().filter(|&&step| step > 1).take(MAX_STEPS).for_each(|step| near(bound + step));
        factors
            .iter()
            .filter(|&&factor| factor > 1)
            .take(MAX_STEPS)
            .for_each(|factor| near(bound.saturating_mul(*factor)));
    }
    found
}

/// Constants that the program assigns, passes or branches on.
fn marks(program: &Program) -> FxHashSet<i128> {
    let mut found = FxHashSet::from_iter([0, 1, -1]);
    let mut take = |operand: Operand| {
        if let Operand::Int(value) = operand {
            found.insert(value.into());
        }
    };
    for body in program.functions.iter().filter_map(|f| f.body.as_ref()) {
        for block in &body.blocks {
            for inst in &block.insts {
                match inst {
                    Inst::Move { src, .. } | Inst::Store { src, .. } | Inst::StoreBits { src, .. } => take(*src),
                    Inst::Call(call) => call.args.iter().for_each(|arg| take(arg.value)),
                    Inst::Compare { lhs, rhs, .. } => {
                        take(*lhs);
                        take(*rhs);
                    }
                    _ => {}
                }
            }
            match &block.end {
                Terminator::Return(Some(value)) => take(*value),
                Terminator::Switch { cases, .. } => cases.iter().for_each(|case| {
                    take(Operand::Int(case.low));
                    take(Operand::Int(case.high));
                }),
                _ => {}
            }
        }
    }
    found
}
