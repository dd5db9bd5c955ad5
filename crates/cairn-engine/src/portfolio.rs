//! From a program and properties to a verdict: engines answer, replay confirms, and only what rests on nothing is called true.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::{CheckKind, Program};
use cairn_smt::Session;
use cairn_smt::session::Statistics;

use crate::attempt::attempts;
use crate::calls::Calls;
use crate::engines::shape::allocation::AllocationCheck;
use crate::engines::shape::formula::HeapGraph;
use crate::engines::shape::prove::Prover;
use crate::engines::shape::prove::invariant::LoopInvariant;
use crate::engines::shape::{Explorer, Input, Options};
use crate::engines::template::{Outcome, Templates, ssa};
use crate::granted;
use crate::reach::{Budget, Domain, Ended, Order, Reach, reach};
use crate::replay::{Unset, replay, trace};
use crate::verdict::{Property, Verdict, Violation};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Task {
    /// The function that the program starts in.
    pub entry: String,
    /// The properties.
    pub properties: Vec<Property>,
    /// Checks that are asked about, too, and belong to no property.
    pub besides: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` violates `unreach-call`; otherwise it only ends the program.
    pub assert_faults: bool,
}

impl Task {
    /// The checks that the properties consist of.
    pub fn kinds(&self) -> impl Iterator<Item = CheckKind> {
        self.properties.iter().flat_map(|p| p.kinds()).chain(self.besides.iter().copied())
    }

    pub(crate) fn exploring(&self) -> Options {
        Options {
            entry: self.entry.clone(),
            kinds: self.kinds().collect(),
            granted: Vec::new(),
            malloc_fails: self.malloc_fails,
            assert_faults: self.assert_faults,
            max_splits: 64,
            allocation_check: AllocationCheck::default(),
        }
    }
}

impl Task {
    /// What templates are asked: all, or what is theirs of a task that is divided.
    fn to_templates(&self, calls: Calls, divided: bool) -> ssa::Options {
        let kinds = self.kinds().filter(|&kind| !(divided && granted::is_of_the_end(kind)));
        self.by_templates(calls, kinds.collect())
    }

    /// What templates are asked of some kinds of checks.
    pub(crate) fn by_templates(&self, calls: Calls, kinds: Vec<CheckKind>) -> ssa::Options {
        ssa::Options {
            entry: self.entry.clone(),
            kinds,
            malloc_fails: self.malloc_fails,
            assert_faults: self.assert_faults,
            calls,
            contexts: ssa::contexts::Contexts::default(),
        }
    }
}

/// States that may wait at once; with a few kilobytes each they stay within a few gigabytes.
pub(crate) const MAX_WAITING: usize = 200_000;

/// The reason for what is unknown because the search was cancelled: whoever cancelled it may know better.
pub const CANCELLED: &str = "out of time";

/// Instructions of one replay.
pub(crate) const REPLAY_STEPS: u64 = 50_000_000;

/// How to search for the answer.
#[derive(Debug)]
pub struct Search {
    /// The solver.
    pub session: Session,
    /// How a pointer is resolved to an object.
    pub allocation_check: AllocationCheck,
    /// In which order paths are followed.
    pub order: Order,
    /// Which engines take part.
    pub engines: Engines,
    /// The templates to use; empty where the engine chooses.
    pub templates: Vec<String>,
    /// What becomes of calls.
    pub calls: Calls,
    /// Whether the invariants of loops are wanted with a proof.
    pub invariants: bool,
}

/// Which engines take part in a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engines {
    /// Exploring and proving take turns.
    #[default]
    All,
    /// Exploring only: no abstraction.
    Explore,
    /// Proving only: nothing can be found to be violated.
    Prove,
    /// The engine `template` only.
    Template,
}

impl Engines {
    /// All choices, the default first.
    pub const ALL: [Self; 4] = [Self::All, Self::Explore, Self::Prove, Self::Template];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Explore => "explore",
            Self::Prove => "prove",
            Self::Template => "template",
        }
    }
}

impl Search {
    /// The search that `verify` makes, with the embedded solver.
    pub fn new(cancel: &Arc<AtomicBool>) -> Self {
        Self {
            session: Session::new(cancel.clone()),
            allocation_check: AllocationCheck::default(),
            order: Order::LoopBounded,
            engines: Engines::default(),
            templates: Vec::new(),
            calls: Calls::default(),
            invariants: false,
        }
    }
}

/// States that exploring and proving step in their first turns; each turn is twice as long as the one before.
const FIRST_TURN: u64 = 1_000;

/// The turn after which simple inputs are tried: by then a short way to a violation would have been found, and told better.
const TURN_OF_ATTEMPTS: u64 = 4 * FIRST_TURN;

/// The turn from which on templates take functions that call themselves, while proving still goes on: it knows more of trees.
const TURN_OF_SUMMARIES: u64 = 256 * FIRST_TURN;

/// States that are stepped for the invariants of a program that exploring has proved alone.
const INVARIANT_STATES: u64 = 20_000;

/// What a search has found.
#[derive(Debug)]
pub struct Found {
    /// The answer.
    pub verdict: Verdict,
    /// What it took.
    pub effort: Effort,
    /// The invariants of loops behind `TRUE`, where they were wanted and proving has come to its end.
    pub invariants: Vec<LoopInvariant>,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// What was asked of the solver.
    pub solver: Statistics,
    /// States that were stepped.
    pub states: u64,
    /// Calls that proving analysed apart from their callers.
    pub summaries: u64,
    /// Calls for which one of these was used again.
    pub reused: u64,
}

/// Answers a task.
///
/// # Errors
/// When there is nothing to verify: the entry function is missing.
pub fn verify(program: &Program, task: &Task, cancel: &Arc<AtomicBool>) -> Result<Verdict, String> {
    verify_with(program, task, Search::new(cancel), cancel).map(|found| found.verdict)
}

/// Answers a task by a search of the caller's choice.
///
/// # Errors
/// When there is nothing to verify: the entry function is missing.
pub fn verify_with(program: &Program, task: &Task, search: Search, cancel: &Arc<AtomicBool>) -> Result<Found, String> {
    if search.engines == Engines::Template {
        return by_templates(program, task, search, cancel);
    }
    let mut options = Options { allocation_check: search.allocation_check, ..task.exploring() };
    let explorer = Explorer::new(program, options.clone(), search.session)?;
    let mut prover = match search.engines {
        Engines::Explore | Engines::Template => None,
        Engines::All | Engines::Prove => Some(Prover::new(program, options.clone(), Session::new(cancel.clone()))?),
    };
    if let Some(prover) = &mut prover {
        prover.calls = search.calls;
    }
    let mut proof = prover.as_mut().map(|prover| Reach::new(prover, Order::Ranked));
    let mut judge = Judge::new(explorer, program, task);
    let mut exploration =
        (search.engines != Engines::Prove).then(|| Reach::<Judge<'_, '_>>::new(&mut judge, search.order));
    let divided = granted::is_divided(program, task);
    let mut templates = (search.engines == Engines::All)
        .then(|| {
            let asked = task.to_templates(search.calls, divided);
            Templates::new(program, asked, Session::new(cancel.clone()), &search.templates)
        })
        .transpose()?;
    let mut turn = FIRST_TURN;
    let mut before = Effort::default();
    let mut trouble = None;
    let mut explored = false;
    let mut attempted = search.engines != Engines::All;
    let ended = loop {
        // When all others have given up, one has all the time. A task is divided when it can't be proved as a whole.
        let by_templates = templates.is_some() && !(divided && proof.is_some());
        let shared = by_templates || !attempted;
        let alone = |other: bool| if other || shared { turn } else { u64::MAX };
        let budget = |states| Budget { states, waiting: MAX_WAITING, cancel: cancel.clone() };
        let mut gave_up = false;
        // Most violations are near, and found in the first turn; after that proofs come first.
        let waits = turn == FIRST_TURN && exploration.is_some();
        if let (Some(proof_run), Some(prover), false) = (&mut proof, &mut prover, waits) {
            match proof_run.run(prover, &budget(alone(exploration.is_some()))) {
                Ended::Complete if prover.trouble().is_none() => {
                    let invariants =
                        if search.invariants { prover.invariants(proof_run.reached()) } else { Vec::new() };
                    let effort = effort_of(before, &judge.explorer, Some(&*prover));
                    return Ok(Found { verdict: Verdict::True, effort, invariants });
                }
                // What a call loses that is analysed apart from its callers may be there where it is followed.
                Ended::Complete | Ended::Done if prover.may_follow() => {
                    before.add_proof(prover);
                    *prover = Prover::new(program, options.clone(), Session::new(cancel.clone()))?;
                    prover.follows = true;
                    proof = Some(Reach::new(prover, Order::Ranked));
                }
                Ended::Complete | Ended::Done => {
                    trouble = prover.trouble();
                    if divided && !prover.alarm().is_some_and(|alarm| granted::is_grantable(alarm.kind)) {
                        templates = None;
                    }
                    proof = None;
                }
                Ended::OutOfBudget => gave_up = exploration.is_none() && !shared,
            }
        }
        if let Some(run) = &mut exploration {
            match run.run(&mut judge, &budget(alone(proof.is_some()))) {
                Ended::OutOfBudget => gave_up = proof.is_none() && !shared,
                Ended::Complete if (proof.is_some() || templates.is_some()) && judge.is_undecided() => {
                    explored = true;
                    exploration = None;
                }
                ended => break Some(ended),
            }
        }
        // What neither decides soon is for templates: a stage after every turn.
        if let Some(engine) = templates.as_mut().filter(|_| !(divided && proof.is_some())) {
            engine.set_effort(turn);
            engine.waits = proof.is_some() && turn < TURN_OF_SUMMARIES;
            engine.wants_invariants = search.invariants;
            match engine.turn()? {
                Outcome::Proved(_) if divided => {
                    options.granted = granted::by_templates(task);
                    let mut rest = rest_of(program, task, search.calls, cancel)?;
                    proof = Some(Reach::new(&mut rest, Order::Ranked));
                    (prover, templates) = (Some(rest), None);
                    continue;
                }
                Outcome::Proved(invariants) => {
                    let mut effort = effort_of(before, &judge.explorer, prover.as_ref());
                    effort.add(engine.statistics());
                    return Ok(Found { verdict: Verdict::True, effort, invariants });
                }
                Outcome::Candidate(_, inputs) => {
                    judge.violation = confirmed(program, task, &inputs);
                    if judge.violation.is_some() {
                        break None;
                    }
                }
                Outcome::Open(_) => {}
            }
            if engine.is_done() {
                templates = None;
            }
        }
        let idle = exploration.is_none() && proof.is_none();
        if cancel.load(std::sync::atomic::Ordering::Relaxed) || (templates.is_none() && (gave_up || idle)) {
            break explored.then_some(Ended::Complete);
        }
        if turn >= TURN_OF_ATTEMPTS && !attempted {
            attempted = true;
            judge.violation = attempts(program, task, judge.explorer.gaps.is_empty(), cancel);
            if judge.violation.is_some() {
                break None;
            }
        }
        turn = turn.saturating_mul(2);
    };
    let open = judge.is_undecided() || !matches!(ended, Some(Ended::Complete | Ended::Done));
    if !attempted && open && judge.violation.is_none() {
        judge.violation = attempts(program, task, judge.explorer.gaps.is_empty(), cancel);
    }
    let Judge { explorer, violation, unconfirmed, .. } = judge;
    let mut invariants = Vec::new();
    let effort = effort_of(before, &explorer, prover.as_ref());
    let verdict = if let Some(violation) = violation {
        Verdict::False(Box::new(violation))
    } else if let Some(kind) = unconfirmed {
        Verdict::Unknown(format!("a candidate for {kind} did not replay"))
    } else if ended != Some(Ended::Complete) {
        let stopped = cancel.load(std::sync::atomic::Ordering::Relaxed);
        let reason = if stopped { CANCELLED } else { "too many states" };
        Verdict::Unknown(match trouble {
            Some(trouble) if search.engines == Engines::Prove => trouble,
            Some(trouble) => format!("{reason}; no proof: {trouble}"),
            None => reason.to_owned(),
        })
    } else if let Some(gap) = explorer.gaps.first() {
        Verdict::Unknown(gap.clone())
    } else {
        // Exploring was first, and knows no loops.
        if let (true, Some(mut run), Some(prover)) = (search.invariants, proof, &mut prover) {
            let budget = Budget { states: INVARIANT_STATES, waiting: MAX_WAITING, cancel: cancel.clone() };
            if run.run(prover, &budget) == Ended::Complete && prover.trouble().is_none() {
                invariants = prover.invariants(run.reached());
            }
        }
        Verdict::True
    };
    Ok(Found { verdict, effort, invariants })
}

/// A prover of what templates have left of a task that is divided.
fn rest_of<'p>(
    program: &'p Program,
    task: &Task,
    calls: Calls,
    cancel: &Arc<AtomicBool>,
) -> Result<Prover<'p>, String> {
    let options = Options { granted: granted::by_templates(task), ..task.exploring() };
    let mut rest = Prover::new(program, options, Session::new(cancel.clone()))?;
    rest.calls = calls;
    Ok(rest)
}

/// Answers a task by the engine `template` alone; proofs by shape of what is left allocated join in.
fn by_templates(program: &Program, task: &Task, search: Search, cancel: &Arc<AtomicBool>) -> Result<Found, String> {
    let divided = granted::is_divided(program, task);
    let asked = task.to_templates(search.calls, divided);
    let mut engine = Templates::new(program, asked, search.session, &search.templates)?;
    engine.wants_invariants = search.invariants;
    engine.be_alone();
    let (mut reason, mut invariants) = (String::new(), Vec::new());
    let verdict = loop {
        if engine.is_done() || cancel.load(std::sync::atomic::Ordering::Relaxed) {
            let stopped = cancel.load(std::sync::atomic::Ordering::Relaxed);
            break Verdict::Unknown(match (stopped, reason.is_empty()) {
                (true, true) => CANCELLED.to_owned(),
                (true, false) => format!("{CANCELLED}; {reason}"),
                (false, _) => reason,
            });
        }
        if engine.needs_more_effort() {
            engine.try_harder();
        }
        match engine.turn()? {
            Outcome::Proved(_) if divided => {
                let mut rest = rest_of(program, task, search.calls, cancel)?;
                let budget = Budget { states: u64::MAX, waiting: MAX_WAITING, cancel: cancel.clone() };
                let ended = reach(&mut rest, Order::Ranked, &budget);
                break match rest.trouble() {
                    None if ended == Ended::Complete => Verdict::True,
                    None => Verdict::Unknown(CANCELLED.to_owned()),
                    Some(trouble) => Verdict::Unknown(trouble),
                };
            }
            Outcome::Proved(found) => {
                invariants = found;
                break Verdict::True;
            }
            Outcome::Candidate(kind, inputs) => {
                if let Some(violation) = confirmed(program, task, &inputs) {
                    break Verdict::False(Box::new(violation));
                }
                reason = format!("a candidate for {kind} did not replay");
            }
            Outcome::Open(why) if why.is_empty() => {}
            Outcome::Open(why) if reason.is_empty() || !cancel.load(std::sync::atomic::Ordering::Relaxed) => {
                reason = why
            }
            Outcome::Open(_) => {}
        }
    };
    let effort = Effort { solver: engine.statistics(), ..Effort::default() };
    Ok(Found { verdict, effort, invariants })
}

/// The violation that these inputs lead to, when they do.
fn confirmed(program: &Program, task: &Task, inputs: &[Input]) -> Option<Violation> {
    let mut violation = replay(program, task, inputs, Unset::Leftovers).into_iter().next()?;
    trace(program, task, &mut violation);
    Some(violation)
}

/// The states after one line.
#[derive(Debug)]
pub struct StatesAfter {
    /// The function that the line is in.
    pub function: String,
    /// The line.
    pub line: u32,
    /// Each state as a formula and as a graph, in the order of the formulas.
    pub states: Vec<(String, HeapGraph)>,
}

/// The states that proving comes to: for each function and line those after it. Nothing is asked, so that no check ends the search
/// early.
///
/// # Errors
/// When there is nothing to run: the entry function is missing.
pub fn states(program: &Program, task: &Task, cancel: &Arc<AtomicBool>) -> Result<Vec<StatesAfter>, String> {
    let mut prover = Prover::new(program, task.exploring(), Session::new(cancel.clone()))?;
    prover.record_states();
    let mut run = Reach::new(&mut prover, Order::Ranked);
    let ended = run.run(&mut prover, &Budget { states: 100_000, waiting: MAX_WAITING, cancel: cancel.clone() });
    if ended == Ended::Complete {
        // On the way there were states that others have taken the place of. Those that stay are stepped once more.
        prover.record_states();
        prover.begin_again();
        let mut waiting = prover.entry();
        waiting.extend(run.reached().flat_map(|(_, states)| states.to_vec()));
        while let Some(state) = waiting.pop() {
            let mut next = Vec::new();
            prover.step(state, &mut next);
            waiting.extend(next.into_iter().filter(|state| prover.place(state).is_none()));
        }
    }
    let after = |(function, line, states): (cairn_ir::FuncId, u32, &BTreeMap<String, HeapGraph>)| StatesAfter {
        function: program.functions[function.index()].name.clone(),
        line,
        states: states.iter().map(|(formula, graph)| (formula.clone(), graph.clone())).collect(),
    };
    Ok(prover.recorded().map(after).collect())
}

/// What exploring and proving took together, with what came before.
fn effort_of(before: Effort, explorer: &Explorer<'_>, prover: Option<&Prover<'_>>) -> Effort {
    let mut effort = before;
    effort.add_exploring(explorer);
    prover.into_iter().for_each(|prover| effort.add_proof(prover));
    effort
}

impl Effort {
    pub(crate) fn add_proof(&mut self, prover: &Prover<'_>) {
        let (summaries, reused) = prover.summarised();
        self.summaries += summaries;
        self.reused += reused;
        self.add_exploring(&prover.explorer);
    }

    pub(crate) fn add_exploring(&mut self, explorer: &Explorer<'_>) {
        self.states += explorer.steps();
        self.add(explorer.statistics());
    }

    fn add(&mut self, more: Statistics) {
        self.solver.queries += more.queries;
        self.solver.trivial += more.trivial;
        self.solver.cached += more.cached;
        self.solver.repaired += more.repaired;
        self.solver.solved += more.solved;
    }
}

/// The explorer with replay behind every step: the search stops at the first violation that is confirmed.
struct Judge<'a, 'p> {
    explorer: Explorer<'p>,
    program: &'p Program,
    task: &'a Task,
    violation: Option<Violation>,
    unconfirmed: Option<CheckKind>,
}

impl<'a, 'p> Judge<'a, 'p> {
    fn new(explorer: Explorer<'p>, program: &'p Program, task: &'a Task) -> Self {
        Judge { explorer, program, task, violation: None, unconfirmed: None }
    }

    /// Whether what was found so far leaves the answer open, however complete the search is.
    fn is_undecided(&self) -> bool {
        self.violation.is_none() && (self.unconfirmed.is_some() || !self.explorer.gaps.is_empty())
    }
}

impl<'p> Domain for Judge<'_, 'p> {
    type State = <Explorer<'p> as Domain>::State;
    type Place = ();

    fn entry(&mut self) -> Vec<Self::State> {
        self.explorer.entry()
    }

    fn step(&mut self, state: Self::State, out: &mut Vec<Self::State>) {
        self.explorer.step(state, out);
        for candidate in std::mem::take(&mut self.explorer.candidates) {
            match confirmed(self.program, self.task, &candidate.inputs) {
                Some(violation) => {
                    self.violation = Some(violation);
                    self.explorer.stop();
                    return;
                }
                None => self.unconfirmed = Some(candidate.kind),
            }
        }
    }

    fn depth(&self, state: &Self::State) -> u32 {
        self.explorer.depth(state)
    }

    fn turns(&self, state: &Self::State) -> u32 {
        self.explorer.turns(state)
    }

    fn done(&self) -> bool {
        self.explorer.done()
    }
}
