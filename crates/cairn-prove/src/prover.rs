//! The prover: the reachability analysis of one program, with its calling contexts and alarms.

use cairn_portfolio::Reason;
use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_exec::allocation::AllocationCheck;
use cairn_exec::formula::HeapGraph;
use cairn_exec::linear::LinearFirst;
use cairn_exec::reach::Bookkeeping;
use cairn_exec::{Machine, Options};
use cairn_ir::{BlockId, FuncId, Program};
use cairn_portfolio::alarm::Alarm;
use cairn_portfolio::calls::Calls;
use cairn_smt::Session;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::alarm::Alarms;
use crate::calls::contexts::Context;
use crate::calls::summary_policy::{self, CalleeInfo};
use crate::control_flow::Flow;
use crate::footprint::{self, LoopRegisters};
use crate::hints::constants::{marks, thresholds};
use crate::hints::links::descends_trees;
use crate::join::pairing::{Pairing, Purpose};
use crate::lattice::Lattice;
use crate::limits::{MAX_CONFLICTS, MAX_INLINED_RECURSION};
use crate::proving::{Proving, Stage, State};
use crate::simplify::Folding;

/// The prover of one program.
pub struct Prover<'p> {
    /// The lattice of symbolic heaps.
    pub lattice: Lattice<'p>,
    pub(crate) flows: FxHashMap<FuncId, Rc<Flow>>,
    pub(crate) callees: Vec<CalleeInfo>,
    pub(crate) contexts: Vec<Context>,
    /// Which calls are analysed by summaries.
    pub calls: Calls,
    /// Whether only recursive calls are analysed by summaries, unless all calls are.
    pub follows: bool,
    /// Whether the proof continues after an alarm, to prove the remaining checks.
    pub goes_on: bool,
    /// The number of calls that reused a context.
    pub(crate) reused: u64,
    /// The numbers of states at program points that a join has replaced.
    pub(crate) replaced: FxHashSet<u64>,
    /// Program points where branches meet and that have many states.
    pub(crate) crowded: FxHashSet<Place>,
    /// The number of solver queries up to the last step.
    pub(crate) queries_before: u64,
}

/// The program point at which states are compared.
///
/// It consists of the calling context, the stage of the call, and the function, block and instruction of each active
/// call.
pub type Place = (u32, Stage, Vec<(FuncId, BlockId, usize)>);

impl<'p> Prover<'p> {
    /// Creates the prover of a program.
    ///
    /// # Errors
    /// Returns an error if there is no entry function with a body.
    pub fn new(program: &'p Program, options: Options, session: Session) -> Result<Self, String> {
        let mut session = session.wrapped(LinearFirst::before);
        session.set_conflict_budget(Some(MAX_CONFLICTS));
        // The allocation checks of the paper search an object cell by cell, but segments have no cells.
        let options = Options { allocation_check: AllocationCheck::default(), ..options };
        let machine = Machine::new(program, options, session, Proving::default())?;
        let mut lattice = Lattice::new(machine, thresholds(program), marks(program));
        let mut flows = FxHashMap::default();
        for (index, function) in program.functions.iter().enumerate() {
            if let Some(body) = &function.body {
                flows.insert(FuncId::new(index), Rc::new(Flow::of(body, program.target)));
            }
        }
        let has_loop =
            |function: FuncId| flows.get(&function).is_some_and(|flow: &Rc<Flow>| flow.heads.contains(&true));
        let callees = summary_policy::callees(program, &lattice.machine.options.entry, has_loop);
        // Recursive functions often traverse trees, and so does a loop that follows different links of a node.
        lattice.seeks_trees =
            callees.iter().any(|callee| callee.separable && callee.recursive) || descends_trees(program);
        Ok(Self {
            lattice,
            flows,
            callees,
            contexts: Vec::new(),
            calls: Calls::default(),
            follows: false,
            goes_on: false,
            reused: 0,
            replaced: FxHashSet::default(),
            crowded: FxHashSet::default(),
            queries_before: 0,
        })
    }

    /// Records the formulas of all states from now on.
    pub fn record_states(&mut self) {
        self.lattice.machine.mode.record = Some(BTreeMap::new());
    }

    /// Returns the recorded formulas by function and line.
    pub fn recorded(&self) -> impl Iterator<Item = (FuncId, u32, &BTreeMap<String, HeapGraph>)> {
        self.lattice
            .machine
            .mode
            .record
            .iter()
            .flatten()
            .map(|(&(function, line), formulas)| (function, line, formulas))
    }

    /// Returns the first reason why nothing is proved; `None` while there is none.
    pub fn trouble(&self) -> Option<Reason> {
        self.alarm().copied().map(Reason::Alarm).or_else(|| self.lattice.machine.gaps.first().cloned())
    }

    /// Returns the first alarm.
    pub fn alarm(&self) -> Option<&Alarm> {
        self.alarms().found.keys().next()
    }

    /// Returns all alarms.
    pub fn alarms(&self) -> &Alarms {
        &self.lattice.machine.mode.alarms
    }

    /// Returns the block that a state has just entered, with the control flow of its function.
    pub(crate) fn block_of(&self, state: &State) -> Option<(&Flow, usize)> {
        let frame = state.frames.last().filter(|_| state.arrived)?;
        Some((self.flows.get(&frame.function)?, frame.block.index()))
    }

    /// Returns whether a state is compared with others: at loop heads, where branches meet, and at calls.
    pub(crate) fn is_compared(&self, state: &State) -> bool {
        state.extra.stage != Stage::Running
            || self.block_of(state).is_some_and(|(flow, block)| flow.heads[block] || flow.merges[block])
    }

    /// Returns whether a program point where branches meet has so many states that they are folded.
    ///
    /// Common shapes then matter more than facts about single nodes.
    pub(crate) fn is_crowded(&self, state: &State) -> bool {
        !self.crowded.is_empty() && self.place(state).is_some_and(|place| self.crowded.contains(&place))
    }

    pub(crate) fn is_head(&self, state: &State) -> bool {
        self.block_of(state).is_some_and(|(flow, block)| flow.heads[block])
    }

    /// Returns the registers of the innermost loop around a state, if the memory that it can access matters.
    ///
    /// It matters in deeply nested loops and in states with many lists.
    pub(crate) fn loop_registers(&self, state: &State) -> LoopRegisters {
        // A callee has already examined its own lists, and the lists of the frame were not accessed.
        if state.extra.stage == Stage::Resumed {
            return footprint::no_registers();
        }
        let frame = state.frames.last()?;
        let (flow, block) = (self.flows.get(&frame.function)?, frame.block.index());
        match &flow.registers[block] {
            Some(registers) => (flow.deep[block] || footprint::has_many_lists(state)).then(|| Rc::clone(registers)),
            None => footprint::has_many_lists(state).then(footprint::no_registers).flatten(),
        }
    }

    /// Continues states at the end of a block, in a call stack of this depth.
    ///
    /// They proceed to a program point, enter a call or a loop, or leave one.
    pub(crate) fn proceed(&mut self, next: Vec<State>, (depth, from): (usize, BlockId), out: &mut Vec<State>) {
        for mut state in next {
            let function = state.top().function;
            if self.leaves_loop(&state) {
                (state.extra.stage, state.arrived) = (Stage::Returned, false);
            } else if state.frames.len() == depth
                && let Some(inner) = self.loop_entered(&state, from)
            {
                self.enter_loop(state, &inner, out);
                continue;
            }
            if state.frames.len() > depth && self.is_summarised(function) {
                state.extra.stage = Stage::Calling;
                if !self.is_recursive(function) {
                    self.enter_directly(state, out);
                    continue;
                }
            }
            if self.is_compared(&state) {
                // Nodes are folded only where states recur. Where branches meet and where a call begins, facts about
                // single nodes are still useful.
                let folding = match state.extra.stage {
                    Stage::Running => Folding::when(self.is_head(&state) || self.is_crowded(&state)),
                    Stage::Returned => Folding::when(self.is_recursive(function)),
                    Stage::Calling | Stage::Entered | Stage::Resumed => Folding::Keep,
                };
                let registers = self.loop_registers(&state);
                self.lattice.simplify(state, folding, &registers, out);
                continue;
            }
            if state.frames.iter().filter(|f| f.function == function).count() > MAX_INLINED_RECURSION {
                self.lattice.machine.gaps.insert(Reason::Recursion);
                continue;
            }
            out.push(state);
        }
    }

    /// Joins two states; returns `None` if their shapes differ.
    pub(crate) fn join(&mut self, new: &State, old: &State) -> Option<State> {
        let pairing = self.lattice.pair_states(new, old, Purpose::Join)?;
        Some(self.joined(pairing))
    }

    pub(crate) fn joined(&mut self, pairing: Pairing<'_>) -> State {
        let path = self.lattice.joined_path(&pairing);
        let joins = pairing.old.extra.joins + 1;
        let mut result = pairing.result;
        Rc::make_mut(&mut result.extra.join_variables).extend(&pairing.fresh);
        result.path = path;
        self.lattice.forget_dangling_conditions(&mut result);
        self.lattice.bound_lengths(&mut result);
        result.extra.joins = joins;
        result
    }
}
