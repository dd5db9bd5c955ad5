//! The interface to the solver: incremental, with assumptions, models, cores, a budget and an interrupt.
//!
//! A session outlives its queries. Path conditions are passed as assumptions rather than asserted,
//! so nothing has to be retracted: gates and learned clauses serve every later query. A query that
//! neither the normal form nor an earlier answer decides goes to a [`Backend`]. The backend is the
//! embedded SAT solver or one that the caller provides.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::callbacks::Callbacks;
use batsat::{Solver, SolverInterface, lbool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blast::{Blaster, ClauseSink, Lit};
use crate::evaluate::Assignment;
use crate::limits;
use crate::term::{Node, Term, Terms};

/// The result of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The query is satisfied by this assignment.
    Sat(Assignment),
    /// The query is unsatisfiable; this unsatisfiable core is a subset of the assumptions.
    Unsat(Vec<Term>),
    /// The budget is exhausted or the session was interrupted.
    Unknown,
}

/// Counters of queries, by how they were decided.
#[derive(Clone, Copy, Default, Debug)]
pub struct Statistics {
    /// All queries.
    pub queries: u64,
    /// Queries decided by the normal form of the terms.
    pub trivial: u64,
    /// Queries decided by an earlier core or model.
    pub cached: u64,
    /// Queries decided by repairing a given model.
    pub repaired: u64,
    /// Queries passed to the backend.
    pub solved: u64,
}

/// A decision procedure for queries that no cheaper method decides.
pub trait Backend {
    /// Decides the conjunction of `wanted`, none of which is constant.
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer;

    /// Limits each query to that many conflicts, if the solver counts them.
    fn set_conflict_budget(&mut self, _: Option<u64>) {}
}

/// Observes every query that reaches the backend; used for logging and timing.
pub trait Observer {
    /// Called before the backend is asked.
    fn asked(&mut self, terms: &Terms, wanted: &[Term]);
    /// Called with the answer of the backend.
    fn answered(&mut self, answer: &Answer);
}

/// An incremental solver with caches of earlier answers.
pub struct Session {
    backend: Box<dyn Backend>,
    observer: Option<Box<dyn Observer>>,
    interrupt: Arc<AtomicBool>,
    /// Known unsatisfiable cores, indexed by their greatest term.
    cores: FxHashMap<Term, Vec<Box<[Term]>>>,
    recent: Vec<Assignment>,
    statistics: Statistics,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl Session {
    /// Creates a session on the embedded solver, which stops when the flag is set.
    pub fn new(interrupt: Arc<AtomicBool>) -> Self {
        Self::with_backend(embedded(interrupt.clone()), interrupt)
    }

    /// Creates a session on another solver, which has to watch the flag itself.
    pub fn with_backend(backend: Box<dyn Backend>, interrupt: Arc<AtomicBool>) -> Self {
        Self {
            backend,
            observer: None,
            interrupt,
            cores: FxHashMap::default(),
            recent: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// Returns a session that has learned nothing, on the embedded solver and with the same interrupt flag.
    pub fn fresh(&self) -> Self {
        Self::new(self.interrupt.clone())
    }

    /// Wraps the backend in another one.
    #[must_use]
    pub fn wrapped(mut self, wrap: impl FnOnce(Box<dyn Backend>) -> Box<dyn Backend>) -> Self {
        self.backend = wrap(self.backend);
        self
    }

    /// Registers an observer of all queries that reach the backend.
    pub fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.observer = Some(observer);
    }

    /// Limits each query to that many conflicts; `None` means no limit.
    pub fn set_conflict_budget(&mut self, conflicts: Option<u64>) {
        self.backend.set_conflict_budget(conflicts);
    }

    /// Returns whether the interrupt flag is set.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the query counters.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Decides whether all assumptions can be 1 at once.
    pub fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
        self.decide(terms, assumptions, None)
    }

    /// Like [`Session::check`], but first tries to repair the given assignment.
    pub fn check_near(&mut self, terms: &Terms, assumptions: &[Term], near: &Assignment) -> Answer {
        self.decide(terms, assumptions, Some(near))
    }

    /// Like [`Session::check_near`], but never asks the backend; returns `None` if the caches and repair fail.
    pub fn glance(&mut self, terms: &Terms, assumptions: &[Term], near: &Assignment) -> Option<Answer> {
        let mut wanted: Vec<Term> = assumptions.iter().copied().filter(|&t| !terms.is_true(t)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if let Some(&impossible) = wanted.iter().find(|&&t| terms.is_false(t)) {
            return Some(Answer::Unsat(vec![impossible]));
        }
        let known = self.known_core(&wanted).map(Answer::Unsat);
        known.or_else(|| terms.repair(assumptions, near).map(Answer::Sat))
    }

    /// Records that these terms cannot be 1 at once, as implied by an earlier answer.
    pub fn learn(&mut self, core: &[Term]) {
        self.keep_core(core);
    }

    fn decide(&mut self, terms: &Terms, assumptions: &[Term], near: Option<&Assignment>) -> Answer {
        self.statistics.queries += 1;
        let mut wanted: Vec<Term> = assumptions.iter().copied().filter(|&t| !terms.is_true(t)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if let Some(&impossible) = wanted.iter().find(|&&t| terms.is_false(t)) {
            self.statistics.trivial += 1;
            return Answer::Unsat(vec![impossible]);
        }
        if wanted.is_empty() {
            self.statistics.trivial += 1;
            return Answer::Sat(Assignment::default());
        }
        if let Some(core) = self.known_core(&wanted) {
            self.statistics.cached += 1;
            return Answer::Unsat(core);
        }
        if let Some(model) = near.and_then(|near| terms.repair(assumptions, near)) {
            self.statistics.repaired += 1;
            return Answer::Sat(model);
        }
        if let Some(model) = self.known_model(terms, &wanted) {
            self.statistics.cached += 1;
            return Answer::Sat(model);
        }
        self.statistics.solved += 1;
        self.solve(terms, &wanted)
    }

    /// Returns a known unsatisfiable core that is a subset of `wanted`.
    fn known_core(&self, wanted: &[Term]) -> Option<Vec<Term>> {
        let cores = wanted.iter().filter_map(|term| self.cores.get(term)).flatten();
        let mut inside = cores.filter(|core| core.iter().all(|term| wanted.binary_search(term).is_ok()));
        inside.next().map(|core| core.to_vec())
    }

    /// Stores a core; if there are too many with the same greatest term, the oldest one is dropped.
    fn keep_core(&mut self, core: &[Term]) {
        let Some(&greatest) = core.iter().max() else { return };
        let known = self.cores.entry(greatest).or_default();
        if known.len() == limits::MAX_CORES_PER_TERM {
            known.remove(0);
        }
        known.push(core.into());
    }

    /// Returns a recent model that satisfies the query, most recently used first.
    fn known_model(&mut self, terms: &Terms, wanted: &[Term]) -> Option<Assignment> {
        let found = self.recent.iter().rposition(|model| {
            let mut known = FxHashMap::default();
            wanted.iter().all(|&t| terms.evaluate_with(t, model, &mut known) == 1)
        })?;
        let model = self.recent.remove(found);
        self.recent.push(model.clone());
        Some(model)
    }

    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer {
        if let Some(observer) = &mut self.observer {
            observer.asked(terms, wanted);
        }
        let answer = self.backend.solve(terms, wanted);
        if let Some(observer) = &mut self.observer {
            observer.answered(&answer);
        }
        match &answer {
            Answer::Sat(model) => {
                debug_assert!(wanted.iter().all(|&t| terms.evaluate(t, model) == 1), "the model satisfies the query");
                if self.recent.len() == limits::MAX_RECENT_MODELS {
                    self.recent.remove(0);
                }
                self.recent.push(model.clone());
            }
            Answer::Unsat(reason) => {
                self.keep_core(reason);
            }
            Answer::Unknown => {}
        }
        answer
    }
}

/// Creates the embedded solver without a session; it stops when the flag is set.
pub fn embedded(interrupt: Arc<AtomicBool>) -> Box<dyn Backend> {
    let sat = Sat::new(interrupt.clone());
    Box::new(Embedded { sat, blaster: Blaster::default(), conflicts: None, wasted: 0, interrupt })
}

/// Bit-blasting onto an in-process SAT solver.
struct Embedded {
    sat: Sat,
    blaster: Blaster,
    conflicts: Option<u64>,
    /// The number of irrelevant gates assigned by all queries since the solver was created.
    wasted: usize,
    interrupt: Arc<AtomicBool>,
}

impl Embedded {
    /// Replaces the solver by a new one if irrelevant gates have become too expensive.
    ///
    /// The SAT solver assigns every gate it has ever seen in each model. A restart pays off when
    /// the gates of other queries have cost more than re-encoding those of this query.
    fn forget_what_does_not_pay(&mut self, terms: &Terms, wanted: &[Term]) {
        let mut bits = 0;
        terms.for_subterms(wanted, |term| bits += terms.width(term) as usize);
        self.wasted += self.blaster.gates().saturating_sub(limits::GATES_PER_BIT * bits);
        if self.wasted > limits::MAX_WASTED_GATES.max(limits::GATES_PER_BIT * bits) {
            self.sat = Sat::new(self.interrupt.clone());
            self.blaster = Blaster::default();
            self.wasted = 0;
        }
    }
}

impl Backend for Embedded {
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer {
        self.forget_what_does_not_pay(terms, wanted);
        let literals: Vec<Lit> = wanted.iter().map(|&t| self.blaster.truth(terms, t, &mut self.sat)).collect();
        match self.sat.solve(&literals, self.conflicts) {
            Some(true) => {
                let mut model = Assignment::default();
                terms.for_subterms(wanted, |term| {
                    if let Node::Var(_) = terms.node(term)
                        && let Some(bits) = self.blaster.bits_of(term)
                    {
                        let value = bits.iter().enumerate().map(|(i, &l)| u128::from(self.sat.value(l)) << i).sum();
                        model.insert(term, value);
                    }
                });
                Answer::Sat(model)
            }
            Some(false) => {
                let core = self.sat.core();
                let in_core = |(_, l): &(&Term, &Lit)| **l == Lit::FALSE || core.contains(*l);
                Answer::Unsat(wanted.iter().zip(&literals).filter(in_core).map(|(&t, _)| t).collect())
            }
            None => Answer::Unknown,
        }
    }

    fn set_conflict_budget(&mut self, conflicts: Option<u64>) {
        self.conflicts = conflicts;
    }
}

/// An adapter from the blaster's literals to batsat; node `n` is variable `n`, and node 0 is constant.
struct Sat {
    solver: Solver<Limits>,
    /// The batsat variable of each node.
    variables: Vec<batsat::Var>,
    clause: Vec<batsat::Lit>,
    /// Whether the last query assumed the constant 0; such a query never reaches batsat.
    trivially_false: bool,
}

impl std::fmt::Debug for Sat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sat").field("variables", &self.solver.num_vars()).finish_non_exhaustive()
    }
}

/// The stop conditions of a query.
struct Limits {
    interrupt: Arc<AtomicBool>,
    /// The remaining conflict budget, decremented for every learned clause.
    conflicts_left: Option<u64>,
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: batsat::clause::Kind) {
        if kind == batsat::clause::Kind::Learnt
            && let Some(left) = &mut self.conflicts_left
        {
            *left = left.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.conflicts_left == Some(0) || self.interrupt.load(Ordering::Relaxed)
    }
}

impl Sat {
    fn new(interrupt: Arc<AtomicBool>) -> Self {
        let mut solver = Solver::new(batsat::SolverOpts::default(), Limits { interrupt, conflicts_left: None });
        let constant = solver.new_var_default();
        solver.add_clause_reuse(&mut vec![batsat::Lit::new(constant, false)]);
        Self { solver, variables: vec![constant], clause: Vec::new(), trivially_false: false }
    }

    fn literal(&self, lit: Lit) -> batsat::Lit {
        batsat::Lit::new(self.variables[lit.node() as usize], !lit.negated())
    }

    fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u64>) -> Option<bool> {
        self.trivially_false = assumptions.contains(&Lit::FALSE);
        if self.trivially_false {
            return Some(false);
        }
        self.solver.cb_mut().conflicts_left = conflicts;
        let assumptions: Vec<batsat::Lit> = assumptions.iter().map(|&l| self.literal(l)).collect();
        let result = self.solver.solve_limited(&assumptions);
        if result == lbool::TRUE {
            Some(true)
        } else if result == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(self.literal(lit)) == lbool::TRUE
    }

    /// Returns the assumptions in the unsatisfiable core; batsat reports their negations.
    fn core(&self) -> FxHashSet<Lit> {
        if self.trivially_false {
            return FxHashSet::from_iter([Lit::FALSE]);
        }
        self.solver.unsat_core().iter().map(|l| Lit::of(l.var().idx(), l.sign())).collect()
    }
}

impl ClauseSink for Sat {
    fn new_variable(&mut self) {
        let variable = self.solver.new_var_default();
        self.variables.push(variable);
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clause.clear();
        for &lit in clause {
            match lit {
                Lit::TRUE => return,
                Lit::FALSE => {}
                lit => {
                    let literal = self.literal(lit);
                    self.clause.push(literal);
                }
            }
        }
        self.solver.add_clause_reuse(&mut self.clause);
    }
}
