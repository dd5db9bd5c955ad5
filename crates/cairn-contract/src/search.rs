//! The search through the paths of one function.
//!
//! The next state is always one at the location that was executed least often, so that all code is reached before the budget
//! goes to combinations of branches.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_exec::allocation::AllocationCheck;
use cairn_exec::{Machine, Options};
use cairn_ir::inst::Passing;
use cairn_ir::program::Symbol;
use cairn_ir::{BlockId, CheckKind, FuncId, Program, Ty};
use cairn_memory::object::ObjectKind;
use cairn_memory::symbolic::{Initial, Object};
use cairn_portfolio::Reason;
use cairn_smt::{Session, Term};
use rustc_hash::FxHashMap;

use crate::environment::{Environment, Hooks, library_state};
use crate::infer::Seen;
use crate::infer::path_end::PathEnd;
use crate::limits::{CALL_DEPTH, CHOICES, Effort, INPUT_SIZE, ITERATIONS, SPLITS, STEP, WAITING};
use crate::mode::{Analysing, Candidate, State};
use crate::unknowns::Holder;

/// The kinds of faults that are looked for.
pub(crate) const KINDS: &[CheckKind] = &[
    CheckKind::NullDeref,
    CheckKind::UseAfterFree,
    CheckKind::UseAfterScope,
    CheckKind::OutOfBounds,
    CheckKind::InvalidDeref,
    CheckKind::DoubleFree,
    CheckKind::InvalidFree,
    CheckKind::Uninitialised,
    CheckKind::DivisionByZero,
    CheckKind::Overflow,
    CheckKind::Overlap,
];

/// A search through the paths of a function.
pub(crate) struct Search<'p> {
    machine: Machine<'p, Analysing>,
    waiting: BTreeMap<(u64, u32, u64), State>,
    executed: FxHashMap<(FuncId, BlockId), u64>,
    turn: u64,
    effort: Effort,
    cancel: Arc<AtomicBool>,
    /// Whether paths with more iterations or nested calls were dropped.
    is_bounded: bool,
    /// Whether states were dropped because too many were waiting.
    has_dropped: bool,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// All paths within the bounds were executed.
    Exhausted,
    /// The budget was spent before.
    OutOfBudget,
}

impl<'p> Search<'p> {
    /// Creates a search that starts at the entry of a function.
    pub fn new(
        program: &'p Program,
        variables: &Environment,
        function: FuncId,
        (effort, malloc_fails): (Effort, bool),
        cancel: &Arc<AtomicBool>,
    ) -> Self {
        let options = Options {
            entry: String::new(),
            kinds: KINDS.to_vec(),
            granted: Vec::new(),
            malloc_fails,
            assert_faults: false,
            max_splits: SPLITS,
            allocation_check: AllocationCheck::default(),
        };
        let mut session = Session::new(cancel.clone());
        session.set_conflict_budget(Some(effort.conflicts));
        let mode = Analysing::new(function, Arc::clone(&variables.stated));
        let mut machine = Machine::without_entry(program, options, session, mode);
        let is_state = library_state(program);
        machine.mode.library_state =
            machine.globals.iter().zip(is_state).filter(|(_, is_state)| *is_state).map(|(id, _)| *id).collect();
        let (waiting, executed, cancel) = (BTreeMap::new(), FxHashMap::default(), cancel.clone());
        let (is_bounded, has_dropped) = (false, false);
        let mut search = Self { machine, waiting, executed, turn: 0, effort, cancel, is_bounded, has_dropped };
        if let Some(state) = search.entry(variables, function) {
            search.wait(state);
        }
        search
    }

    /// Collects the ends of paths, for the contract of the function.
    pub fn with_path_ends(mut self) -> Self {
        self.machine.mode.seen_paths = Some(Seen::default());
        self
    }

    /// Executes all paths within the budget and returns what they show of the function.
    pub fn look(mut self) -> Seen {
        let outcome = self.run(drop);
        let mut seen = self.machine.mode.seen_paths.take().unwrap_or_default();
        seen.is_bounded |= self.is_bounded;
        for gap in &self.machine.gaps {
            match gap {
                // A few offsets were tried, as a few iterations are.
                Reason::SymbolicOffset => seen.is_bounded = true,
                gap => drop(seen.gaps.insert(gap.to_string())),
            }
        }
        let is_foreign = |end: &PathEnd| !end.called.is_empty() || end.has_choices || end.has_unnamed;
        seen.is_sufficient = !self.machine.mode.has_assumed && !seen.ends.iter().any(is_foreign);
        seen.open = std::mem::take(&mut self.machine.mode.open);
        if outcome == Outcome::OutOfBudget || self.has_dropped {
            seen.gaps.insert("there are too many paths".to_owned());
        }
        seen
    }

    /// Returns the state at the entry of a function: all arguments and all variables that can change are unknown.
    fn entry(&mut self, variables: &Environment, function: FuncId) -> Option<State> {
        let machine = &mut self.machine;
        let program = machine.program;
        let mut state = machine.before_entry();
        for (index, _) in variables.unknown.iter().enumerate().filter(|(_, unknown)| **unknown) {
            let id = machine.globals[index];
            state.memory.get_mut(id).forget(Initial::Undefined);
            Rc::make_mut(&mut state.extra.holders).insert(id, Holder::Global(index));
            // Until somebody changes them, hooks are the functions that the code names.
            if variables.hooks == Hooks::Initial {
                for relocation in &program.globals[index].relocations {
                    if let Symbol::Function(target) = relocation.target {
                        let value = machine.function(target);
                        machine.write(&mut state, id, relocation.offset, value);
                    }
                }
            }
        }
        let called = &program.functions[function.index()];
        let mut arguments = Vec::new();
        for passing in &called.signature.params {
            arguments.push(match *passing {
                Passing::Scalar(ty) => machine.terms.variable("argument", ty.bits(program.target)),
                Passing::Memory { .. } => given(machine, &mut state),
            });
        }
        machine.mode.arguments = arguments.clone();
        let variadic = called.signature.variadic.then(|| {
            let area = given(machine, &mut state);
            machine.bases[&area]
        });
        machine.enter(state, function, &arguments, variadic)
    }

    fn wait(&mut self, state: State) {
        if state.depth > ITERATIONS || state.frames.is_empty() {
            self.is_bounded |= !state.frames.is_empty();
            return;
        }
        if self.machine.mode.seen_paths.is_some() && state.extra.choices > CHOICES {
            self.is_bounded = true;
            return;
        }
        let top = state.top();
        let times = self.executed.get(&(top.function, top.block)).copied().unwrap_or(0);
        self.turn += 1;
        self.waiting.insert((times, state.depth, u64::MAX - self.turn), state);
        if self.waiting.len() > WAITING {
            self.waiting.pop_last();
            self.has_dropped = true;
        }
    }

    /// Executes paths until none is left or the budget is spent. `found` receives the candidates as they are found.
    pub fn run(&mut self, mut found: impl FnMut(Candidate)) -> Outcome {
        let mut out = Vec::new();
        let mut work = 0;
        while work < STEP * self.effort.steps {
            if self.cancel.load(Ordering::Relaxed) || self.machine.statistics().solved > self.effort.queries {
                return Outcome::OutOfBudget;
            }
            let Some((_, state)) = self.waiting.pop_first() else { break };
            // Every operation looks at the conditions of its path, so long paths are expensive.
            work += STEP + state.path.conditions().len() as u64;
            let top = state.top();
            *self.executed.entry((top.function, top.block)).or_default() += 1;
            self.machine.steps += 1;
            if state.frames.len() > CALL_DEPTH {
                self.is_bounded = true;
                continue;
            }
            self.machine.run_block(state, &mut out);
            for state in out.drain(..) {
                self.wait(state);
            }
            for candidate in std::mem::take(&mut self.machine.mode.candidates) {
                found(candidate);
            }
        }
        let gave_up = self.machine.gaps.contains(&Reason::SolverBudget);
        if self.waiting.is_empty() && !gave_up { Outcome::Exhausted } else { Outcome::OutOfBudget }
    }
}

/// Adds an object that the caller provides and returns its address.
fn given(machine: &mut Machine<'_, Analysing>, state: &mut State) -> Term {
    let bits = Ty::Ptr.bits(machine.program.target);
    let pointer = machine.terms.variable("argument", bits);
    let id = machine.mode.id_of(pointer);
    let size = machine.terms.constant(u128::from(INPUT_SIZE), bits);
    let object = Object::new(ObjectKind::Static, pointer, size, Initial::Undefined, Rc::from(""), Rc::from([]));
    state.memory.set(id, object);
    machine.bases.insert(pointer, id);
    machine.address_of.insert(pointer, pointer);
    state.extra.add_object(pointer, id);
    pointer
}
