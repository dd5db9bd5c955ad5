//! The checker of one function: what it asks of the solver, what it assumes at a cut-point, and how a condition fails.

use cairn_ir::ctype::TypeId;
use cairn_ir::{Body, CheckKind, FuncId, Loc, Operand, Program};
use cairn_rules::{Answer, Lit, Model, Solver, Term};
use rustc_hash::FxHashMap;

use super::contracts::{Contracts, Given};
use super::invariant::Invariant;
use super::replay::Input;
use super::report::{FunctionReport, Status, Violation};
use super::state::{Element, Origin, Reach, Site, State};
use super::tags::Demands;
use super::theory::Theory;
use super::types::{ClassId, NodeId, NodeTypes};
use super::{Asked, Options, Summary};
use crate::liveness::Liveness;

/// Instructions of one function beyond this number are not executed.
pub(super) const STEPS: u64 = 2_000_000;

/// Steps of the solver for one condition.
pub(super) const BUDGET: u64 = 10_000;

/// Below this, addresses belong to nothing: a small offset from null is null as well.
pub(super) const NULL_PAGE: i64 = 4096;

/// Why a path ends.
#[derive(Debug)]
pub(super) enum Stop {
    /// It can't be followed, or is done.
    Done,
    /// An allocation was given a type: the function is executed anew.
    Restart,
}

/// What is learned from a function beside the answers.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Inputs that may show why an answer is not yes.
    pub inputs: Vec<Input>,
    /// What its code shows about cells.
    pub demands: Demands,
    /// What it hands to those whose calls all are looked at.
    pub handed: FxHashMap<FuncId, Vec<Given>>,
    /// Whether no path returns null.
    pub returns_nonnull: bool,
    /// Whether all paths were followed to their ends.
    pub complete: bool,
}

/// How a step went.
pub(super) type Flow<T = ()> = Result<T, Stop>;

/// Checks one function.
pub(super) struct Checker<'c, 'p> {
    pub program: &'p Program,
    pub types: &'c mut NodeTypes<'p>,
    pub theory: &'c Theory,
    pub summaries: &'c [Summary],
    pub options: &'c Options,
    pub stop: &'c dyn Fn() -> bool,
    pub contracts: &'c Contracts,
    /// What this function hands to those whose calls all are looked at.
    pub handed: FxHashMap<FuncId, Vec<Given>>,
    /// Whether no node that the function is given is null, which is an assumption to be asked about.
    pub nodes_given: bool,
    /// Whether no path so far returns null.
    pub returns_nonnull: bool,
    /// Whether some path was not followed to its end.
    pub gave_up: bool,
    pub solver: Solver<'c>,
    pub origins: Vec<Option<Origin>>,
    pub next_heap: i64,
    pub elements: FxHashMap<Element, Term>,
    pub statics: FxHashMap<Operand, Term>,
    pub site_types: FxHashMap<Site, NodeId>,
    pub function: FuncId,
    pub invariants: FxHashMap<usize, Invariant>,
    /// Loop heads whose invariant changed.
    pub agenda: Vec<usize>,
    pub heads: Vec<bool>,
    pub liveness: Option<Liveness>,
    /// Numbers that bounds of integers are looked for among.
    pub landmarks: Vec<i64>,
    /// Those among them that only are lengths of arrays.
    pub lengths: Vec<i64>,
    pub work: Vec<(State, usize, Option<Lit>)>,
    /// Iterations that were executed as they stand since the cut-point, on all paths.
    pub peeled: usize,
    /// The same in loops that do not branch.
    pub straight: usize,
    pub memory: Status,
    pub integrity: Status,
    /// Whether a path ended before its end because a condition on memory, or on integrity, fails there: nothing is known of
    /// the other one behind that place.
    pub memory_cut: Option<Loc>,
    pub integrity_cut: Option<Loc>,
    /// Accesses of which what is handed in, or how large it is, decides.
    pub by_contract: Vec<Loc>,
    /// Whether a pointer that is declared as no link was made one.
    pub casts: bool,
    /// What the parameters are on paths from the entry; empty on others.
    pub inputs: Vec<Term>,
    /// The inputs of models of conditions that fail.
    pub doubts: Vec<Input>,
    pub demands: Demands,
    pub in_callers: bool,
    pub conditions: usize,
    /// Whether some path comes to an end, and whether one of them can be taken.
    pub ends: bool,
    pub alive: bool,
    /// Whether the path is at the end of the function.
    pub leaving: bool,
    pub steps: u64,
}

impl<'c, 'p> Checker<'c, 'p> {
    pub fn new(asked: Asked<'c, 'p>, contracts: &'c Contracts) -> Self {
        let Asked { program, types, theory, summaries, options, stop } = asked;
        Self {
            program,
            types,
            theory,
            summaries,
            options,
            stop,
            contracts,
            handed: FxHashMap::default(),
            nodes_given: false,
            returns_nonnull: true,
            gave_up: false,
            solver: Solver::new(&theory.rules),
            origins: Vec::new(),
            next_heap: 1,
            elements: FxHashMap::default(),
            statics: FxHashMap::default(),
            site_types: FxHashMap::default(),
            function: FuncId(0),
            invariants: FxHashMap::default(),
            agenda: Vec::new(),
            heads: Vec::new(),
            liveness: None,
            landmarks: Vec::new(),
            lengths: Vec::new(),
            work: Vec::new(),
            peeled: 0,
            straight: 0,
            memory: Status::Proved,
            integrity: Status::Proved,
            memory_cut: None,
            integrity_cut: None,
            by_contract: Vec::new(),
            casts: false,
            inputs: Vec::new(),
            doubts: Vec::new(),
            demands: Demands::default(),
            in_callers: false,
            conditions: 0,
            ends: false,
            alive: false,
            leaving: false,
            steps: 0,
        }
    }

    /// The answers for a function with a body, and what was learned on the way.
    pub fn function(mut self, id: FuncId) -> (FunctionReport, Found) {
        self.function = id;
        let Some(body) = self.body(id) else {
            let none = Status::Unknown("it has no body".to_owned());
            let (memory, integrity) = (none.clone(), none);
            return (FunctionReport::new(id, memory, integrity), Found::default());
        };
        self.liveness = Some(Liveness::of(body));
        self.landmarks = self.landmarks_of(body);
        self.heads = vec![false; body.blocks.len()];
        for (number, block) in body.blocks.iter().enumerate() {
            block.end.for_successors(&mut |next| self.heads[next.index()] |= next.index() <= number);
        }
        loop {
            self.memory = Status::Proved;
            self.integrity = Status::Proved;
            self.memory_cut = None;
            self.integrity_cut = None;
            self.doubts.clear();
            self.by_contract.clear();
            self.casts = false;
            self.in_callers = false;
            self.handed.clear();
            self.returns_nonnull = true;
            self.gave_up = false;
            self.invariants.clear();
            self.agenda.clear();
            match self.segments(body) {
                Err(Stop::Restart) => {}
                _ => break,
            }
        }
        if self.ends && !self.alive {
            // Everything follows from a contradiction; nothing is claimed from one.
            self.unknown("no path to the end of the function can be taken");
        }
        // Where both answers are known not to be yes, the rest is not looked at.
        let complete = !self.gave_up
            && self.memory_cut.is_none()
            && self.integrity_cut.is_none()
            && (self.memory == Status::Proved || self.integrity == Status::Proved);
        if let (Some(loc), Status::Proved) = (self.memory_cut, &self.integrity) {
            self.integrity = Status::Unknown(format!("not checked behind line {}, where M is not shown", loc.line));
        }
        if let (Some(loc), Status::Proved) = (self.integrity_cut, &self.memory) {
            self.memory = Status::Unknown(format!("not checked behind line {}, where D is not shown", loc.line));
        }
        let (handed, returns_nonnull) = (self.handed, self.returns_nonnull);
        let report = FunctionReport {
            in_callers: self.in_callers,
            conditions: self.conditions,
            by_contract: self.by_contract,
            casts: self.casts,
            ..FunctionReport::new(id, self.memory, self.integrity)
        };
        (report, Found { inputs: self.doubts, demands: self.demands, handed, returns_nonnull, complete })
    }

    pub fn body(&self, id: FuncId) -> Option<&'p Body> {
        self.program.functions[id.index()].body.as_ref()
    }

    pub fn segments(&mut self, body: &'p Body) -> Flow {
        self.begin();
        let state = self.entry(body)?;
        self.run(state)?;
        while let Some(head) = self.agenda.pop() {
            if self.over() {
                break;
            }
            self.begin();
            let Some(state) = self.resume(body, head) else { continue };
            self.run(state)?;
        }
        Ok(())
    }

    /// Whether nothing more can be won: both answers are known not to be yes, or time is up.
    pub fn over(&mut self) -> bool {
        if self.memory != Status::Proved && self.integrity != Status::Proved {
            return true;
        }
        if self.steps > STEPS || (self.stop)() {
            self.unknown("out of budget");
            return true;
        }
        false
    }

    pub fn unknown(&mut self, reason: &str) {
        self.gave_up = true;
        for status in [&mut self.memory, &mut self.integrity] {
            if *status == Status::Proved {
                *status = Status::Unknown(reason.to_owned());
            }
        }
    }

    /// A new solver for a new segment.
    pub fn begin(&mut self) {
        self.solver = Solver::new(&self.theory.rules);
        self.solver.set_budget(BUDGET);
        self.origins.clear();
        self.elements.clear();
        self.statics.clear();
        self.inputs.clear();
        self.next_heap = 1;
    }

    /// A new variable, and what it is.
    pub fn variable(&mut self, origin: Origin) -> Term {
        let term = self.solver.fresh();
        let index = term.var.0 as usize;
        if self.origins.len() <= index {
            self.origins.resize(index + 1, None);
        }
        self.origins[index] = Some(origin);
        term
    }

    pub fn origin(&self, term: Term) -> Option<&Origin> {
        self.origins.get(term.var.0 as usize).and_then(Option::as_ref)
    }

    pub fn reach(&self, term: Term) -> Reach {
        self.origin(term).map_or(Reach::Public, |origin| origin.reach)
    }

    /// What a pointer type points to, as far as there are rules for it.
    pub fn pointee(&mut self, ty: Option<TypeId>) -> Option<NodeId> {
        ty.and_then(|ty| self.types.pointee(ty))
    }

    /// Assumes something on this path; the path ends where it can't be.
    pub fn assume(&mut self, lit: Lit) -> Flow {
        if self.solver.assume(lit) { Ok(()) } else { Err(Stop::Done) }
    }

    pub fn assume_node(&mut self, node: NodeId, term: Term, epoch: i64) -> Flow {
        let lit = self.solver.constraint(self.theory.node(node), &[term, Term::constant(epoch)]);
        self.assume(lit)
    }

    /// Whether the negation of a condition contradicts the path; a model otherwise.
    pub fn prove(&mut self, negated: &[Lit]) -> Result<(), Option<Box<Model>>> {
        self.conditions += 1;
        match self.solver.refute(negated) {
            Answer::Refuted => Ok(()),
            Answer::Satisfied(model) => Err(Some(Box::new(model))),
            Answer::Exhausted => Err(None),
        }
    }

    /// Nothing is known of the memory condition.
    pub fn memory_unknown(&mut self, reason: &str) {
        if self.memory == Status::Proved {
            self.memory = Status::Unknown(reason.to_owned());
        }
    }

    /// A memory condition depends on what no type says. Runs that break it show nothing.
    pub fn undecided(&mut self, loc: Loc, what: &str) {
        self.memory_unknown(&format!("line {}: {what}", loc.line));
        self.by_contract.push(loc);
    }

    /// An access through a pointer to data, or to memory of any size: how much there is is not known.
    pub fn unknown_length(&mut self, loc: Loc) -> Stop {
        self.undecided(loc, "how much memory there is behind a pointer is not known");
        self.memory_cut.get_or_insert(loc);
        Stop::Done
    }

    /// A memory condition fails: the path ends.
    pub fn memory_fails(&mut self, state: &State, loc: Loc, what: &str, model: Option<Box<Model>>) -> Stop {
        self.memory_doubt(state, loc, what, model);
        self.memory_cut.get_or_insert(loc);
        Stop::Done
    }

    /// A memory condition fails, and the path goes on where it holds.
    pub fn memory_doubt(&mut self, state: &State, loc: Loc, what: &str, model: Option<Box<Model>>) {
        if matches!(self.memory, Status::Proved | Status::Unknown(_)) {
            self.memory = self.failure(state, loc, what, model, CheckKind::OutOfBounds, None);
        }
    }

    /// An integrity condition fails: the path ends.
    pub fn integrity_fails(
        &mut self,
        state: &State,
        loc: Loc,
        what: &str,
        model: Option<Box<Model>>,
        breaks: Option<Term>,
    ) -> Stop {
        if self.integrity == Status::Proved {
            self.integrity = self.failure(state, loc, what, model, CheckKind::Integrity, breaks);
        }
        if !self.leaving {
            self.integrity_cut.get_or_insert(loc);
        }
        Stop::Done
    }

    pub fn failure(
        &mut self,
        state: &State,
        loc: Loc,
        what: &str,
        model: Option<Box<Model>>,
        kind: CheckKind,
        breaks: Option<Term>,
    ) -> Status {
        let Some(model) = model else { return Status::Unknown(format!("{what}: out of budget")) };
        let graph = self.picture(&model, state, breaks);
        if let Some(input) = self.input_of(&model) {
            self.doubts.push(input);
        }
        let (what, path) = (what.to_owned(), state.path.clone());
        Status::Unconfirmed(Box::new(Violation { kind, what, loc, path, graph, run: None }))
    }

    /// The name of a heap that there is not yet.
    pub fn another_heap(&mut self) -> i64 {
        self.next_heap += 1;
        self.next_heap - 1
    }

    /// New closed heaps: everything may have changed, and is valid.
    pub fn new_epoch(&mut self, state: &mut State) -> Flow {
        state.epoch += 1;
        self.fresh_heaps(state)
    }

    pub fn fresh_heaps(&mut self, state: &mut State) -> Flow {
        state.peeked.clear();
        state.held.clear();
        for class in 0..self.types.classes.len() {
            let heap = self.another_heap();
            state.heaps[class] = heap;
            state.closed[class] = heap;
            if let Some(closed) = self.theory.closed(ClassId(class as u32)) {
                let lit = self.solver.constraint(closed, &[Term::constant(heap), Term::constant(state.epoch)]);
                self.assume(lit)?;
            }
        }
        Ok(())
    }
}
