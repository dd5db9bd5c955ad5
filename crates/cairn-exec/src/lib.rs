//! Symbolic execution of one instruction or block on a symbolic heap, without policy.
//!
//! A [`State`] is a symbolic heap: pure constraints (the path condition) and spatial atoms (the objects, which are
//! separate by construction). A [`Machine`] executes a block on a state (papers: slcpa, §4.2.5).
//!
//! A [`Mode`] holds everything that an engine adds: the data that its states carry, the handling of failed checks,
//! and whether symbolic offsets stay symbolic. Each engine decides which states it follows, joins or drops; [`reach`]
//! is the reachability loop that the engines share.

mod definedness;
pub mod formula;
mod instructions;
pub mod limits;
pub mod linear;
mod memory;
mod mode;
pub mod path;
pub mod planted;
pub mod reach;
pub mod state;
pub mod step;

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_ir::analysis::liveness::Liveness;
use cairn_ir::{BlockId, CheckKind, Checks, FuncId, GlobalId, Loc, Program};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::SymbolicMemory;
use cairn_portfolio::Reason;
use cairn_smt::evaluate::Assignment;
use cairn_smt::{Answer, Session, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use self::allocation::AllocationCheck;
pub use self::memory::{allocation, leak};
pub use self::mode::{Carried, Failure, Mode, Role, StateData, UnknownCall};
pub use self::state::State;

/// The checks to answer and the choices that the execution makes.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the function that the program starts in.
    pub entry: String,
    /// The kinds of checks to answer.
    ///
    /// A failed check of another kind is not reported. If it is undefined behaviour, the path ends and the execution
    /// counts as incomplete.
    pub kinds: Vec<CheckKind>,
    /// The kinds that another engine has proved. A path on which such a check fails is infeasible.
    pub granted: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` violates a check. If not, it only ends the program.
    pub assert_faults: bool,
    /// The number of values that an offset or a size is split into before the path is given up.
    pub max_splits: u32,
    /// The procedure that resolves a pointer to an object.
    pub allocation_check: AllocationCheck,
}

impl Options {
    /// Returns the options for a task, with the default procedures.
    pub fn of(task: &cairn_portfolio::Task) -> Self {
        Self {
            entry: task.entry.clone(),
            kinds: task.kinds().collect(),
            granted: Vec::new(),
            malloc_fails: task.malloc_fails,
            assert_faults: task.assert_faults,
            max_splits: limits::MAX_SPLITS,
            allocation_check: AllocationCheck::default(),
        }
    }
}

/// Executes a program symbolically.
pub struct Machine<'p, M> {
    /// The program.
    pub program: &'p Program,
    /// The checks to answer and the choices to make.
    pub options: Options,
    /// The terms of all states.
    pub terms: Terms,
    /// The solver session.
    pub session: Session,
    /// The object that each base address belongs to.
    pub bases: FxHashMap<Term, ObjectId>,
    /// The base address that contains each address variable.
    ///
    /// The two differ where a base address is a variable followed by zero bits because of the object's alignment.
    pub address_of: FxHashMap<Term, Term>,
    /// Variables that stand for uninitialised bytes.
    pub undefined: FxHashSet<Term>,
    /// The object of each global variable.
    pub globals: Vec<ObjectId>,
    /// The object of each function.
    pub functions: Vec<ObjectId>,
    /// The label at each label address.
    pub label_of: FxHashMap<Term, (FuncId, BlockId)>,
    /// The function that each function object stands for.
    function_of: FxHashMap<ObjectId, FuncId>,
    /// The memory that every path starts with.
    pub initial: SymbolicMemory,
    /// The reasons why the execution is incomplete; empty if it is complete.
    pub gaps: BTreeSet<Reason>,
    /// Functions without a body, which are assumed to return any value and to have no effect.
    pub assumed_harmless: BTreeSet<String>,
    /// The live registers of each function, computed on demand.
    pub liveness: FxHashMap<FuncId, Liveness>,
    /// Whether functions take variable arguments only as the types that are passed, computed on demand.
    own_lists: FxHashMap<FuncId, bool>,
    /// The Boolean variable that names each cell for the allocation check `smt-model`, by the address of the cell.
    cell_names: FxHashMap<Term, Term>,
    /// The number of blocks that were executed.
    pub steps: u64,
    /// The width of a pointer in bits.
    pub pointer_bits: u32,
    /// The data of the engine.
    pub mode: M,
}

impl<'p, M: Mode> Machine<'p, M> {
    /// Creates a machine for a program.
    ///
    /// # Errors
    /// If the program has no entry function with a body.
    pub fn new(program: &'p Program, options: Options, session: Session, mode: M) -> Result<Self, String> {
        let entry = program.function_named(&options.entry);
        if entry.is_none_or(|f| program.functions[f.index()].body.is_none()) {
            return Err(format!("the program has no function `{}`", options.entry));
        }
        Ok(Self::without_entry(program, options, session, mode))
    }

    /// Creates a machine for the functions of a library, each of which can be entered by itself.
    pub fn without_entry(program: &'p Program, options: Options, session: Session, mode: M) -> Self {
        let mut machine = Self {
            program,
            terms: Terms::new(),
            session,
            bases: FxHashMap::default(),
            address_of: FxHashMap::default(),
            undefined: FxHashSet::default(),
            globals: Vec::new(),
            functions: Vec::new(),
            label_of: FxHashMap::default(),
            function_of: FxHashMap::default(),
            initial: SymbolicMemory::default(),
            gaps: BTreeSet::new(),
            assumed_harmless: BTreeSet::new(),
            liveness: FxHashMap::default(),
            own_lists: FxHashMap::default(),
            cell_names: FxHashMap::default(),
            steps: 0,
            pointer_bits: program.target.pointer_bits(),
            mode,
            options,
        };
        machine.lay_out();
        machine
    }

    /// Returns whether the execution has read a value that may be uninitialised.
    pub fn reads_uninitialised(&self) -> bool {
        !self.undefined.is_empty()
    }

    /// Returns the statistics of the solver session.
    pub fn statistics(&self) -> cairn_smt::session::Statistics {
        self.session.statistics()
    }

    /// Returns the number of blocks that were executed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn global(&self, id: GlobalId) -> Term {
        self.initial.get(self.globals[id.index()]).base
    }

    /// Returns the address of a function.
    pub fn function(&self, id: FuncId) -> Term {
        self.initial.get(self.functions[id.index()]).base
    }

    /// Records that a check may fail in a state, and that the path ends because of it.
    ///
    /// Unlike [`Self::report`], this is recorded even if another engine has proved the check. Some executions that
    /// the state stands for may pass the check, and these are lost when the path ends.
    pub(crate) fn doubt(&mut self, state: &State<M>, kind: CheckKind, checks: Checks, loc: Loc) {
        self.raise(state, kind, checks, loc, false);
    }

    /// Records that a check fails in a state, unless another engine has proved the check.
    ///
    /// The model of the state's path shows the failure.
    pub fn report(&mut self, state: &State<M>, kind: CheckKind, checks: Checks, loc: Loc) {
        if !self.options.granted.contains(&kind) {
            self.raise(state, kind, checks, loc, true);
        }
    }

    fn raise(&mut self, state: &State<M>, kind: CheckKind, checks: Checks, loc: Loc, is_certain: bool) {
        if !self.options.kinds.contains(&kind) {
            // The path ends here although the check is not to be answered, because nothing is known about an
            // execution after undefined behaviour. That makes the search incomplete.
            if kind.is_undefined_behaviour() {
                self.gaps.insert(Reason::OtherUndefinedBehaviour(kind));
            }
            return;
        }
        let check = checks.iter().find(|c| self.program.checks[c.index()].kind == kind);
        M::fail(self, state, Failure { kind, check, loc, is_certain });
    }

    /// Splits a state into the part where a condition holds and the part where it does not.
    ///
    /// An infeasible part is `None`.
    pub fn branch(&mut self, state: State<M>, condition: Term) -> (Option<State<M>>, Option<State<M>>) {
        if let Some(value) = state.path.value(&self.terms, condition) {
            return if value == 1 { (Some(state), None) } else { (None, Some(state)) };
        }
        let negation = self.terms.not(condition);
        let holds = self.terms.evaluate(condition, state.path.model()) == 1;
        let (here, there) = if holds { (condition, negation) } else { (negation, condition) };
        // The model of the path shows that one part is feasible, so only the other needs the solver.
        let other = match self.possible(&state, there) {
            Possible::Yes(model) => {
                let mut other = state.clone();
                other.path.assume(&self.terms, there, Some(model));
                Some(other)
            }
            Possible::No => None,
            Possible::Unknown => {
                self.gaps.insert(Reason::SolverBudget);
                None
            }
        };
        let mut state = state;
        state.path.assume(&self.terms, here, None);
        if holds { (Some(state), other) } else { (other, Some(state)) }
    }

    /// Asks the solver whether a condition can hold on the path of a state.
    pub fn possible(&mut self, state: &State<M>, condition: Term) -> Possible {
        let (query, variables) = self.relevant(state, condition);
        match self.session.check_near(&self.terms, &query, state.path.model()) {
            Answer::Sat(found) => Possible::Yes(changed(state.path.model(), &variables, &found)),
            Answer::Unsat(_) => Possible::No,
            Answer::Unknown => Possible::Unknown,
        }
    }

    /// Returns whether a condition holds in every model of a state's path, as far as the solver can tell.
    pub fn follows(&mut self, state: &State<M>, condition: Term) -> bool {
        if let Some(value) = state.path.value(&self.terms, condition) {
            return value == 1;
        }
        if self.terms.evaluate(condition, state.path.model()) == 0 {
            return false;
        }
        let otherwise = self.terms.not(condition);
        let (query, _) = self.relevant(state, otherwise);
        matches!(self.session.check(&self.terms, &query), Answer::Unsat(_))
    }

    /// Returns a condition with the path conditions that share variables with it, and all of their variables.
    pub fn relevant(&self, state: &State<M>, condition: Term) -> (Vec<Term>, Vec<Term>) {
        let (mut query, variables) = state.path.relevant(&self.terms, &[condition]);
        query.push(condition);
        (query, variables)
    }

    /// Returns the variables of a term.
    pub fn variables_of(&self, term: Term) -> Rc<[Term]> {
        self.terms.variables_of(term)
    }

    /// Returns a fresh variable for an uninitialised value.
    pub fn undefined_value(&mut self, bits: u32) -> Term {
        Self::fresh_undefined(&mut self.undefined, &mut self.terms, bits)
    }

    /// Returns a fresh variable for bytes that were never written.
    pub fn fresh_undefined(undefined: &mut FxHashSet<Term>, terms: &mut Terms, bits: u32) -> Term {
        let term = terms.variable("uninitialised", bits);
        undefined.insert(term);
        term
    }

    /// Returns whether a value depends on bytes that were never written.
    pub fn is_undefined(&self, term: Term) -> bool {
        if self.undefined.is_empty() {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            if self.undefined.contains(&top) {
                return true;
            }
            if seen.insert(top) {
                self.terms.for_operands(top, |operand| stack.push(operand));
            }
        }
        false
    }
}

/// Updates a path's model with the values that a query found for its variables.
///
/// All other variables keep their values, which satisfy the rest of the path condition.
pub fn changed(model: &Assignment, variables: &[Term], found: &Assignment) -> Assignment {
    let mut model = model.clone();
    for variable in variables {
        let value = found.get(variable).copied().unwrap_or(0);
        if model.get(variable) != Some(&value) {
            model.insert(*variable, value);
        }
    }
    model
}

/// The solver's answer to whether a condition can hold.
pub enum Possible {
    /// It can, in this model.
    Yes(Assignment),
    /// It cannot.
    No,
    /// The solver gave up.
    Unknown,
}
