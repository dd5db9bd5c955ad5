//! Symbolic execution with separation logic (papers: slcpa, sl-dataflow), without abstraction: *exploring*.
//!
//! A state is a symbolic heap: pure constraints (the path) and spatial atoms (the objects, which are apart by construction).
//! States never merge; one is covered only by another that is the same but for names; values stay symbolic; a path ends where the
//! solver says that nothing goes on. What is found is a candidate: it becomes a violation when the interpreter replays it.

mod access;
pub mod alarm;
pub mod allocation;
mod anywhere;
mod canonical;
mod format;
pub mod formula;
mod frame;
pub mod guide;
mod leak;
mod library;
mod linear;
pub mod path;
pub mod prove;
mod scalar;
mod start;
pub mod state;
mod summary;
mod transfer;
mod unfold;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, Checks, FuncId, GlobalId, Loc, Program};
use cairn_smt::evaluate::Assignment;
use cairn_smt::{Answer, Session, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use self::alarm::{Alarm, Alarms};
use self::allocation::AllocationCheck;
use self::guide::Guide;
use self::state::{Choice, State};
use crate::liveness::Liveness;
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::SymbolicMemory;
use crate::reach::Domain;

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that the program starts in.
    pub entry: String,
    /// The checks that count; others are assumed to hold.
    pub kinds: Vec<CheckKind>,
    /// Those of them that another engine has proved: a path that fails one is none of the program.
    pub granted: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` counts as one of the checks; otherwise it only ends the program.
    pub assert_faults: bool,
    /// How many values an offset or size is split into before the path is given up.
    pub max_splits: u32,
    /// How a pointer is resolved to an object.
    pub allocation_check: AllocationCheck,
}

/// What the world has to do to reach a fault, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Return this value.
    Value(u128),
    /// Let the allocation succeed or not.
    Allocation(bool),
    /// Let the object with this life hold these bytes at this offset, which nobody wrote.
    Leftover(u64, u64, Vec<u8>),
}

/// A place where a check fails on a feasible path: a candidate for a violation.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What goes wrong.
    pub kind: CheckKind,
    /// Its check.
    pub check: Option<CheckId>,
    /// Where, innermost call first.
    pub stack: Vec<StackPlace>,
    /// What leads there.
    pub inputs: Vec<Input>,
}

/// The states after each line of each function, as formulas and as graphs.
type Record = BTreeMap<(FuncId, u32), BTreeMap<String, formula::HeapGraph>>;

/// Explores a program.
pub struct Explorer<'p> {
    program: &'p Program,
    options: Options,
    terms: Terms,
    session: Session,
    /// The object of each base.
    bases: FxHashMap<Term, ObjectId>,
    /// The base that each variable of an address belongs to.
    address_of: FxHashMap<Term, Term>,
    /// Variables that stand for uninitialised bytes.
    undefined: FxHashSet<Term>,
    globals: Vec<ObjectId>,
    functions: Vec<ObjectId>,
    labels: FxHashMap<(FuncId, cairn_ir::BlockId), Term>,
    label_of: FxHashMap<Term, (FuncId, cairn_ir::BlockId)>,
    function_of: FxHashMap<ObjectId, FuncId>,
    /// The memory that every path starts with.
    initial: SymbolicMemory,
    /// What was found and not yet taken.
    pub candidates: Vec<Candidate>,
    /// Why the exploration is not exhaustive; empty when it is.
    pub gaps: BTreeSet<String>,
    /// Functions without a body that were taken to return anything and do nothing.
    pub assumed_harmless: BTreeSet<String>,
    /// Which temporaries are needed where, by function.
    liveness: FxHashMap<FuncId, Liveness>,
    /// The truth value that names a cell in `smt-model`, by the cell's address.
    cell_names: FxHashMap<Term, Term>,
    /// States that were met at places where paths join.
    met: canonical::Met,
    /// Blocks that were run.
    steps: u64,
    /// The formulas of the states after each line of the program, where they are wanted.
    record: Option<Record>,
    /// Whether the steps are those of a proof: what is found is an alarm and nothing is replayed.
    proving: bool,
    /// Checks that were asked about and that a state of a proof may violate.
    alarms: Alarms,
    /// Where to look for violations, when a proof has said so.
    guide: Option<Guide>,
    /// Constants at which bounds are guessed.
    thresholds: Rc<BTreeSet<i128>>,
    /// The registers in which a function counts.
    counters: FxHashMap<FuncId, Rc<[bool]>>,
    /// The registers that a function compares with small numbers.
    limited: FxHashMap<FuncId, Rc<[bool]>>,
    /// Constants by which the program tells cases apart.
    marks: Rc<FxHashSet<i128>>,
    /// Whether trees are looked for, and how the nodes of those hang together that were found.
    seeks_trees: bool,
    /// Proving only: the calls, analysed apart from their callers, that have just ended the program, and where.
    ended: Vec<(u32, Loc)>,
    trees: Vec<prove::TreeShape>,
    /// Proving only: which cells are or may be links.
    links: prove::Links,
    /// Proving only: which allocations give nodes of one kind.
    kinds: prove::Kinds,
    stop: bool,
    pointer_bits: u32,
}

impl<'p> Explorer<'p> {
    /// An explorer of a program.
    ///
    /// # Errors
    /// When there is no entry function with a body.
    pub fn new(program: &'p Program, options: Options, session: Session) -> Result<Self, String> {
        let mut explorer = Self {
            program,
            terms: Terms::new(),
            session,
            bases: FxHashMap::default(),
            address_of: FxHashMap::default(),
            undefined: FxHashSet::default(),
            globals: Vec::new(),
            functions: Vec::new(),
            labels: FxHashMap::default(),
            label_of: FxHashMap::default(),
            function_of: FxHashMap::default(),
            initial: SymbolicMemory::default(),
            candidates: Vec::new(),
            gaps: BTreeSet::new(),
            assumed_harmless: BTreeSet::new(),
            liveness: FxHashMap::default(),
            cell_names: FxHashMap::default(),
            met: canonical::Met::default(),
            steps: 0,
            record: None,
            proving: false,
            alarms: Alarms::default(),
            guide: None,
            thresholds: Rc::default(),
            counters: FxHashMap::default(),
            limited: FxHashMap::default(),
            marks: Rc::default(),
            seeks_trees: false,
            ended: Vec::new(),
            trees: Vec::new(),
            links: prove::Links::default(),
            kinds: prove::Kinds::default(),
            stop: false,
            pointer_bits: program.target.pointer_bits(),
            options,
        };
        let entry = program.function_named(&explorer.options.entry);
        if entry.is_none_or(|f| program.functions[f.index()].body.is_none()) {
            return Err(format!("the program has no function `{}`", explorer.options.entry));
        }
        explorer.lay_out();
        Ok(explorer)
    }

    /// Ends the exploration after the step at hand.
    pub fn stop(&mut self) {
        self.stop = true;
    }

    /// Whether anything was read that nothing was written to.
    pub fn reads_uninitialised(&self) -> bool {
        !self.undefined.is_empty()
    }

    /// What was asked of the solver.
    pub fn statistics(&self) -> cairn_smt::session::Statistics {
        self.session.statistics()
    }

    /// How many states were stepped.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn global(&self, id: GlobalId) -> Term {
        self.initial.get(self.globals[id.index()]).base
    }

    fn function(&self, id: FuncId) -> Term {
        self.initial.get(self.functions[id.index()]).base
    }

    /// Records that it is not known whether a check holds: the path ends, but the program's may go on, so that it does not help that
    /// another engine has proved the check.
    fn doubt(&mut self, state: &State, kind: CheckKind, checks: Checks, loc: Loc) {
        let granted = std::mem::take(&mut self.options.granted);
        self.raise(state, kind, checks, loc, false);
        self.options.granted = granted;
    }

    /// Records that a check fails in a state whose model shows it.
    fn report(&mut self, state: &State, kind: CheckKind, checks: Checks, loc: Loc) {
        self.raise(state, kind, checks, loc, true);
    }

    fn raise(&mut self, state: &State, kind: CheckKind, checks: Checks, loc: Loc, is_certain: bool) {
        if self.options.granted.contains(&kind) {
            return;
        }
        if !self.options.kinds.contains(&kind) {
            // Nobody asked about this check, but the path ends here: what comes after undefined behaviour is not known. A division
            // by zero stops the program for certain; the last four do not end the path.
            let harmless = matches!(
                kind,
                CheckKind::DivisionByZero
                    | CheckKind::Leak
                    | CheckKind::Unfreed
                    | CheckKind::Overlap
                    | CheckKind::Uninitialised
            );
            if !harmless {
                self.gaps.insert(format!("a path ends in undefined behaviour that was not asked about ({kind})"));
            }
            return;
        }
        let check = checks.iter().find(|c| self.program.checks[c.index()].kind == kind);
        if self.proving {
            self.alarms.raise(state, Alarm { kind, loc, check }, is_certain);
            return;
        }
        let mut choices: Vec<Choice> = state.choices.iter().copied().collect();
        choices.reverse();
        let model = self.replayable_model(state, &choices);
        let mut known = FxHashMap::default();
        let mut value = |term| self.terms.evaluate_with(term, &model, &mut known);
        let inputs = choices
            .into_iter()
            .filter_map(|choice| match choice {
                Choice::Value(term, _) => Some(Input::Value(value(term))),
                Choice::Allocation(ok) => Some(Input::Allocation(ok)),
                Choice::Leftover(life, at, term) => {
                    let bytes = (self.terms.width(term) / 8) as usize;
                    Some(Input::Leftover(life, at, value(term).to_le_bytes()[..bytes].to_vec()))
                }
                Choice::Unassigned(_) => None,
            })
            .collect();
        self.candidates.push(Candidate { kind, check, stack: state.stack(loc), inputs });
    }

    /// A model of the path in which registers that nothing was assigned to are 0, as they are in a replay; the path's own where
    /// there is no such model.
    fn replayable_model(&mut self, state: &State, choices: &[Choice]) -> Assignment {
        let unassigned: Vec<Term> = choices
            .iter()
            .filter_map(|choice| match *choice {
                Choice::Unassigned(term) => Some(term),
                _ => None,
            })
            .collect();
        let own = state.path.model().clone();
        if unassigned.iter().all(|&term| self.terms.evaluate(term, &own) == 0) {
            return own;
        }
        let mut zero = self.terms.truth();
        for term in unassigned {
            let none = self.terms.constant(0, self.terms.width(term));
            let equal = self.terms.eq(term, none);
            zero = self.terms.and(zero, equal);
        }
        match self.possible(state, zero) {
            Possible::Yes(model) => model,
            Possible::No | Possible::Unknown => own,
        }
    }

    /// Which of the two ways are possible: the state where the condition holds, and the one where it does not.
    fn branch(&mut self, state: State, condition: Term) -> (Option<State>, Option<State>) {
        if let Some(value) = state.path.value(&self.terms, condition) {
            return if value == 1 { (Some(state), None) } else { (None, Some(state)) };
        }
        let negation = self.terms.not(condition);
        let holds = self.terms.evaluate(condition, state.path.model()) == 1;
        let (here, there) = if holds { (condition, negation) } else { (negation, condition) };
        // The model at hand shows that one way is possible; the solver is asked about the other.
        let other = match self.possible(&state, there) {
            Possible::Yes(model) => {
                let mut other = state.clone();
                other.path.assume(&self.terms, there, Some(model));
                Some(other)
            }
            Possible::No => None,
            Possible::Unknown => {
                self.gaps.insert("the solver's budget is used up".to_owned());
                None
            }
        };
        let mut state = state;
        state.path.assume(&self.terms, here, None);
        if holds { (Some(state), other) } else { (other, Some(state)) }
    }

    fn possible(&mut self, state: &State, condition: Term) -> Possible {
        let (query, variables) = self.relevant(state, condition);
        match self.session.check_near(&self.terms, &query, state.path.model()) {
            Answer::Sat(found) => Possible::Yes(changed(state.path.model(), &variables, &found)),
            Answer::Unsat(_) => Possible::No,
            Answer::Unknown => Possible::Unknown,
        }
    }

    /// A condition with those of the path that share variables with it, and all of these variables.
    fn relevant(&self, state: &State, condition: Term) -> (Vec<Term>, Vec<Term>) {
        let (mut query, variables) = state.path.relevant(&self.terms, &[condition]);
        query.push(condition);
        (query, variables)
    }

    /// The variables of a term.
    fn variables_of(&self, term: Term) -> Rc<[Term]> {
        self.terms.variables_of(term)
    }

    /// A fresh variable for bytes that were never written.
    fn fresh_undefined(undefined: &mut FxHashSet<Term>, terms: &mut Terms, bits: u32) -> Term {
        let term = terms.variable("uninitialised", bits);
        undefined.insert(term);
        term
    }

    /// Whether a value depends on bytes that were never written.
    fn is_undefined(&self, term: Term) -> bool {
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

/// A path's model with the values of those variables that a query has found. What the query does not speak of keeps the values that
/// satisfy the rest of the path.
fn changed(model: &Assignment, variables: &[Term], found: &Assignment) -> Assignment {
    let mut model = model.clone();
    for variable in variables {
        let value = found.get(variable).copied().unwrap_or(0);
        if model.get(variable) != Some(&value) {
            model.insert(*variable, value);
        }
    }
    model
}

/// Whether a condition can hold.
enum Possible {
    /// It can, under these values.
    Yes(Assignment),
    /// It can't.
    No,
    /// The solver gave up.
    Unknown,
}

impl Domain for Explorer<'_> {
    type State = State;
    type Place = ();

    fn entry(&mut self) -> Vec<State> {
        self.start()
    }

    fn step(&mut self, state: State, out: &mut Vec<State>) {
        self.steps += 1;
        self.run_block(state, out);
    }

    fn depth(&self, state: &State) -> u32 {
        state.depth
    }

    fn turns(&self, state: &State) -> u32 {
        let frame = state.top();
        frame.visits[frame.block.index()]
    }

    fn done(&self) -> bool {
        self.stop
    }
}
