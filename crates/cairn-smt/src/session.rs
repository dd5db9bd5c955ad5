//! The one door to the solver: incremental, with assumptions, models, cores, a budget and an interrupt.
//!
//! A session outlives its queries. Assertions of a path are passed as assumptions, so nothing has to be taken back: gates and
//! learned clauses serve every later query. What the normal form and earlier answers leave open goes to a [`Backend`]: the
//! embedded SAT solver, or one that the caller brings along.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::callbacks::Callbacks;
use batsat::{Solver, SolverInterface, lbool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blast::{Blaster, ClauseSink, Lit};
use crate::evaluate::Assignment;
use crate::term::{Term, Terms};

/// What a query came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// All the truth values can be 1 at once: under this assignment they are.
    Sat(Assignment),
    /// They can't; not even these of them can.
    Unsat(Vec<Term>),
    /// The budget is used up or the session was interrupted.
    Unknown,
}

/// How much was asked and what it cost.
#[derive(Clone, Copy, Default, Debug)]
pub struct Statistics {
    /// Queries asked.
    pub queries: u64,
    /// Queries that the normal form of the terms decided.
    pub trivial: u64,
    /// Queries that an earlier answer or model decided.
    pub cached: u64,
    /// Queries that the SAT solver decided.
    pub solved: u64,
}

/// What decides the queries that nothing cheaper decides.
pub trait Backend {
    /// Whether all the truth values, of which none is constant, can be 1 at once.
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer;

    /// Limits each query to that many conflicts, where the solver can count them.
    fn set_conflict_budget(&mut self, _: Option<u64>) {}
}

/// Is told of every query that reaches the backend: for logs and for stopwatches, which this crate has none of.
pub trait Observer {
    /// The backend is about to be asked.
    fn asked(&mut self, terms: &Terms, wanted: &[Term]);
    /// It has answered.
    fn answered(&mut self, answer: &Answer);
}

/// A solver with everything it has learned.
pub struct Session {
    backend: Box<dyn Backend>,
    observer: Option<Box<dyn Observer>>,
    interrupt: Arc<AtomicBool>,
    unsat: FxHashMap<Vec<Term>, Vec<Term>>,
    recent: Vec<Assignment>,
    statistics: Statistics,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

/// Models that are tried before the solver is asked.
const RECENT_MODELS: usize = 8;

impl Default for Session {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl Session {
    /// A session on the embedded solver that stops when the flag is set.
    pub fn new(interrupt: Arc<AtomicBool>) -> Self {
        let embedded = Embedded { sat: Sat::new(interrupt.clone()), blaster: Blaster::default(), conflicts: None };
        Self::with_backend(Box::new(embedded), interrupt)
    }

    /// A session on another solver, which has to heed the flag by itself.
    pub fn with_backend(backend: Box<dyn Backend>, interrupt: Arc<AtomicBool>) -> Self {
        Self {
            backend,
            observer: None,
            interrupt,
            unsat: FxHashMap::default(),
            recent: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// Tells somebody of every query that reaches the backend.
    pub fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.observer = Some(observer);
    }

    /// Limits each query to that many conflicts; `None` for no limit.
    pub fn set_conflict_budget(&mut self, conflicts: Option<u64>) {
        self.backend.set_conflict_budget(conflicts);
    }

    /// Whether the flag is set: no answer is worth waiting for.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// How much was asked and what it cost.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Whether all the truth values can be 1 at once.
    pub fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Answer {
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
        if let Some(core) = self.unsat.get(&wanted) {
            self.statistics.cached += 1;
            return Answer::Unsat(core.clone());
        }
        if let Some(model) = self.known_model(terms, &wanted) {
            self.statistics.cached += 1;
            return Answer::Sat(model);
        }
        self.statistics.solved += 1;
        self.solve(terms, wanted)
    }

    /// A recent model that happens to satisfy the query; the one used last comes first.
    fn known_model(&mut self, terms: &Terms, wanted: &[Term]) -> Option<Assignment> {
        let found = self.recent.iter().rposition(|model| {
            let mut known = FxHashMap::default();
            wanted.iter().all(|&t| terms.evaluate_with(t, model, &mut known) == 1)
        })?;
        let model = self.recent.remove(found);
        self.recent.push(model.clone());
        Some(model)
    }

    fn solve(&mut self, terms: &Terms, wanted: Vec<Term>) -> Answer {
        if let Some(observer) = &mut self.observer {
            observer.asked(terms, &wanted);
        }
        let answer = self.backend.solve(terms, &wanted);
        if let Some(observer) = &mut self.observer {
            observer.answered(&answer);
        }
        match &answer {
            Answer::Sat(model) => {
                debug_assert!(wanted.iter().all(|&t| terms.evaluate(t, model) == 1), "the model satisfies the query");
                if self.recent.len() == RECENT_MODELS {
                    self.recent.remove(0);
                }
                self.recent.push(model.clone());
            }
            Answer::Unsat(reason) => {
                self.unsat.insert(wanted, reason.clone());
            }
            Answer::Unknown => {}
        }
        answer
    }
}

/// Bit-blasting onto a SAT solver in this process.
struct Embedded {
    sat: Sat,
    blaster: Blaster,
    conflicts: Option<u64>,
}

impl Backend for Embedded {
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer {
        let literals: Vec<Lit> = wanted.iter().map(|&t| self.blaster.truth(terms, t, &mut self.sat)).collect();
        match self.sat.solve(&literals, self.conflicts) {
            Some(true) => {
                let mut model = Assignment::default();
                for variable in wanted.iter().flat_map(|&t| terms.variables_of(t)) {
                    if let Some(bits) = self.blaster.bits_of(variable) {
                        let value = bits.iter().enumerate().map(|(i, &l)| u128::from(self.sat.value(l)) << i).sum();
                        model.insert(variable, value);
                    }
                }
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

/// Batsat behind the blaster's literals: node `n` is its variable `n`, node 0 is constant.
struct Sat {
    solver: Solver<Limits>,
    /// By node.
    variables: Vec<batsat::Var>,
    clause: Vec<batsat::Lit>,
    /// A literal that is constantly 0 was assumed, which the solver never sees.
    trivially_false: bool,
}

impl std::fmt::Debug for Sat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sat").field("variables", &self.solver.num_vars()).finish_non_exhaustive()
    }
}

/// When to stop.
struct Limits {
    interrupt: Arc<AtomicBool>,
    /// Each conflict learns a clause.
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

    /// The assumptions that can't hold together (batsat gives their negations).
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
