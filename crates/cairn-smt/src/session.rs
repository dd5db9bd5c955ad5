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
use crate::term::{Node, Term, Terms};

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
    /// Queries that a model at hand decided after a change of a few variables.
    pub repaired: u64,
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
    /// What can't hold together, by its greatest term.
    cores: FxHashMap<Term, Vec<Box<[Term]>>>,
    recent: Vec<Assignment>,
    statistics: Statistics,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

/// Cores that are kept for each greatest term.
const CORES_PER_TERM: usize = 16;

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
        Self::with_backend(embedded(interrupt.clone()), interrupt)
    }

    /// A session on another solver, which has to heed the flag by itself.
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

    /// The session with another solver in front of its own.
    #[must_use]
    pub fn wrapped(mut self, wrap: impl FnOnce(Box<dyn Backend>) -> Box<dyn Backend>) -> Self {
        self.backend = wrap(self.backend);
        self
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
        self.decide(terms, assumptions, None)
    }

    /// Whether all the truth values can be 1 at once, where an assignment is known that is close to what is sought.
    pub fn check_near(&mut self, terms: &Terms, assumptions: &[Term], near: &Assignment) -> Answer {
        self.decide(terms, assumptions, Some(near))
    }

    /// What is known without a solver of whether all the truth values can be 1 at once: from an earlier answer, or because a few
    /// changes of an assignment that is close do.
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

    /// Takes in that these can't hold together, which follows from an earlier answer.
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

    /// Some of these that can't hold together, as an earlier query showed.
    fn known_core(&self, wanted: &[Term]) -> Option<Vec<Term>> {
        let cores = wanted.iter().filter_map(|term| self.cores.get(term)).flatten();
        let mut inside = cores.filter(|core| core.iter().all(|term| wanted.binary_search(term).is_ok()));
        inside.next().map(|core| core.to_vec())
    }

    /// Keeps what can't hold together; of many with one greatest term the latest.
    fn keep_core(&mut self, core: &[Term]) {
        let Some(&greatest) = core.iter().max() else { return };
        let known = self.cores.entry(greatest).or_default();
        if known.len() == CORES_PER_TERM {
            known.remove(0);
        }
        known.push(core.into());
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
                if self.recent.len() == RECENT_MODELS {
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

/// The embedded solver by itself, which stops when the flag is set.
pub fn embedded(interrupt: Arc<AtomicBool>) -> Box<dyn Backend> {
    let sat = Sat::new(interrupt.clone());
    Box::new(Embedded { sat, blaster: Blaster::default(), conflicts: None, wasted: 0, interrupt })
}

/// Bit-blasting onto a SAT solver in this process.
struct Embedded {
    sat: Sat,
    blaster: Blaster,
    conflicts: Option<u64>,
    /// Gates that queries had assigned without need since the solver was new.
    wasted: usize,
    interrupt: Arc<AtomicBool>,
}

/// Gates assigned without need that are worth a new solver.
const MAX_WASTED: usize = 50_000;

/// About as many gates as a bit of a term becomes.
const GATES_PER_BIT: usize = 4;

impl Embedded {
    /// The solver assigns every gate it has ever seen in each model. When the gates of other queries have cost more than
    /// writing down those of this one does, the solver starts anew.
    fn forget_what_does_not_pay(&mut self, terms: &Terms, wanted: &[Term]) {
        let mut bits = 0;
        terms.for_subterms(wanted, |term| bits += terms.width(term) as usize);
        self.wasted += self.blaster.gates().saturating_sub(GATES_PER_BIT * bits);
        if self.wasted > MAX_WASTED.max(GATES_PER_BIT * bits) {
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
