//! Invariants by template and solver (papers: 2ls-fmcad18, 2ls-thesis): shape and content together.
//!
//! [`ssa`] writes the program as an acyclic formula, [`templates`] say what an invariant may look like, [`synthesis`] finds one. The
//! engine goes through *stages*: richer templates, and more unwinding of loops, which is bounded model checking and k-induction on
//! the same formula (the paths that fail a check end there, so what is asked of a copy of a loop's body is asked under the
//! assumption that the copies before were fine). A stage either proves all checks, or finds a candidate for a violation, or neither.
//! One whose effort is used up comes again after the others, with more.

mod bounds;
mod contexts;
mod describe;
mod facts;
mod hints;
pub mod ssa;
pub mod synthesis;
pub mod templates;

use std::collections::{BTreeSet, VecDeque};

use cairn_ir::{CheckId, CheckKind, Loc, Program};
use cairn_smt::evaluate::Assignment;
use cairn_smt::session::Statistics;
use cairn_smt::{Answer, Session, Term, Terms};

use self::hints::hints;
use self::ssa::contexts::Contexts;
use self::ssa::{Calls, Event, Formula, NoFormula, Obligation, Options};
use self::synthesis::{Precision, Stop, Synthesis};
use self::templates::Template;
use crate::engines::shape::Input;
use crate::engines::shape::prove::invariant::LoopInvariant;

/// One stage of the search.
#[derive(Clone, Debug)]
struct Stage {
    unwind: u32,
    templates: Vec<&'static str>,
    exact: bool,
    /// The effort that was not enough for it, and how often that was so.
    tried: u64,
    trials: u32,
}

/// Templates by what they are good for: few that are cheap, relations of numbers, those of neighbours in lists, what holds behind a cursor.
const FEW: &[&str] = &["points-to", "intervals", "kept", "fresh"];
const RELATED: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones"];
const ADDED: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "octagons"];
const POINTED: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "pointed"];
const LINKED: &[&str] =
    &["points-to", "intervals", "kept", "fresh", "nullness", "relative", "neighbours", "access-paths", "freed"];
const WALKED: &[&str] = &["points-to", "intervals", "kept", "fresh", "passed", "cases"];
const RELATED_BY_PATHS: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "paths"];
const POINTED_BY_PATHS: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "pointed", "paths"];
const ALL_BY_PATHS: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "octagons", "pointed", "paths"];

/// The stages: how far loops are unwound, the templates, and whether bounds are found exactly.
const STAGES: [(u32, &[&str], bool); 14] = [
    (1, FEW, false),
    (1, RELATED, false),
    (1, LINKED, false),
    (1, POINTED, false),
    (2, FEW, false),
    (1, WALKED, false),
    (1, POINTED_BY_PATHS, true),
    (3, FEW, false),
    (4, FEW, false),
    (2, RELATED_BY_PATHS, true),
    (1, ALL_BY_PATHS, true),
    (2, ALL_BY_PATHS, true),
    (6, FEW, false),
    (8, FEW, false),
];

/// Sums come early where no other engine waits for its turn.
const ALONE: (usize, &[&str]) = (3, ADDED);

/// Unwindings in which only violations are looked for: two after each stage that proves, when nobody else looks for them.
const RUNS: [u32; 5] = [4, 8, 16, 32, 64];

/// How often the contexts of calls are told apart in a stage: calls in bodies for new contexts are known only then.
const MAX_DIVISIONS: usize = 2;

/// How often a stage is tried when others want their time, too.
const MAX_TRIALS: u32 = 2;

/// What came of a stage.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every check is proved; what C can say of the invariant, where that was wanted.
    Proved(Vec<LoopInvariant>),
    /// These inputs may lead to a violation.
    Candidate(CheckKind, Vec<Input>),
    /// Neither; why, where there is something to say.
    Open(String),
}

/// Queries for what is printed at most.
const MAX_QUERIES: u64 = 20_000;

/// Queries of a stage in the first round, when the engine is alone; each round has four times as many.
const FIRST_QUERIES: u64 = 1_000;

/// Conflicts in one query, where the effort is limited: so many at least, and so many for each query of a stage.
const CONFLICTS: u64 = 10_000;
const CONFLICTS_BY_QUERIES: u64 = 10;

/// Terms of a formula for each query of a turn: a query takes as long as the formula is large, and a larger one waits for a later turn
/// where others wait, too.
const TERMS_PER_QUERY: u64 = 16;

/// What part of these conflicts one query about runs has.
const SHARE_OF_RUNS: u64 = 50;

/// The same where nobody else waits.
const CONFLICTS_ALONE: u64 = 200;

/// The effort from which on runs are looked at where others look for violations, too: they find most of them, and formulas of runs are
/// large.
const EFFORT_OF_RUNS: u64 = 16_000;

/// Candidates that do not replay before runs are given up.
const MAX_SPURIOUS: usize = 16;

/// The engine with where it is.
pub struct Templates<'p> {
    program: &'p Program,
    options: Options,
    /// The one table that all formulas are in: what the session has learned is about its terms.
    terms: Terms,
    session: Session,
    stages: VecDeque<Stage>,
    queries: u64,
    /// How many terms the largest formula has brought.
    size: u64,
    /// What stages have proved that did not prove everything, of runs up to the first violation. Only stages count that have followed
    /// all of those: then the first violation of a run is none of these, whichever of them prove the others.
    proved: BTreeSet<Key>,
    /// What was shown to be impossible for runs that pass each loop so often at most.
    explored: u32,
    /// The effort that was not enough for some runs: it is not enough for longer ones.
    stuck: u64,
    /// What was a candidate in runs of a length and did not replay.
    spurious: BTreeSet<(u32, Key)>,
    /// The unwinding from which on there are too many runs to write down, or too many that are not what happens.
    too_far: Option<u32>,
    /// Whether it chooses the templates.
    chooses: bool,
    /// Whether no other engine takes part.
    alone: bool,
    /// Whether programs that need summaries have to wait: another engine may be better at them.
    pub waits: bool,
    /// Whether the program needs summaries.
    needs_summaries: bool,
    /// Whether a proof comes with invariants.
    pub wants_invariants: bool,
    /// Functions without a body that were taken to return anything and do nothing else.
    pub assumed_harmless: BTreeSet<String>,
}

impl std::fmt::Debug for Templates<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates").field("stages", &self.stages).finish_non_exhaustive()
    }
}

impl<'p> Templates<'p> {
    /// An engine that chooses templates by itself, or uses those that were asked for.
    ///
    /// # Errors
    /// When a template is not known.
    pub fn new(program: &'p Program, options: Options, session: Session, chosen: &[String]) -> Result<Self, String> {
        let names = named(chosen)?;
        let mut stages: VecDeque<Stage> = VecDeque::new();
        for (unwind, templates, exact) in STAGES {
            let templates = if names.is_empty() { templates.to_vec() } else { names.clone() };
            // Where templates were asked for, many stages are the same.
            let known = |stage: &Stage| (stage.unwind, stage.exact) == (unwind, exact) && stage.templates == templates;
            if !stages.iter().any(known) {
                stages.push_back(Stage { unwind, templates, exact, tried: 0, trials: 0 });
            }
        }
        Ok(Self {
            size: 0,
            program,
            options,
            terms: Terms::new(),
            session,
            stages,
            queries: FIRST_QUERIES,
            proved: BTreeSet::new(),
            explored: 0,
            stuck: 0,
            spurious: BTreeSet::new(),
            too_far: None,
            chooses: names.is_empty(),
            alone: false,
            waits: false,
            needs_summaries: false,
            wants_invariants: false,
            assumed_harmless: BTreeSet::new(),
        })
    }

    /// Limits what the next stage takes: so many queries, and a number of conflicts in each.
    pub fn set_effort(&mut self, queries: u64) {
        self.queries = queries;
    }

    /// Conflicts in one query of the next stage at most.
    fn conflicts(&self) -> u64 {
        let conflicts = if self.alone { CONFLICTS_ALONE } else { CONFLICTS_BY_QUERIES };
        CONFLICTS.max(self.queries.saturating_mul(conflicts))
    }

    /// Nobody else looks for violations, or waits: rounds follow each other, and behind them what is unwound further.
    pub fn be_alone(&mut self) {
        self.alone = true;
        self.set_effort(FIRST_QUERIES);
        if self.chooses {
            let (place, templates) = (ALONE.0, ALONE.1.to_vec());
            self.stages.insert(place, Stage { unwind: 1, templates, exact: false, tried: 0, trials: 0 });
        }
        // Most violations are near, and runs cost little next to proofs with what is unwound.
        let mut deeper =
            RUNS.map(|unwind| Stage { unwind, templates: Vec::new(), exact: false, tried: 0, trials: 0 }).into_iter();
        let proofs = std::mem::take(&mut self.stages);
        for proof in proofs {
            self.stages.push_back(proof);
            self.stages.extend(deeper.by_ref().take(2));
        }
        self.stages.extend(deeper);
    }

    /// Whether there are no stages left.
    pub fn is_done(&self) -> bool {
        self.stages.is_empty()
    }

    /// Every stage that is left is one for which the effort was not enough.
    pub fn needs_more_effort(&self) -> bool {
        self.stages.front().is_some_and(|stage| stage.tried >= self.queries)
    }

    /// The effort of a round after the one at hand.
    pub fn try_harder(&mut self) {
        self.set_effort(self.queries.saturating_mul(4));
    }

    /// What was asked of the solver.
    pub fn statistics(&self) -> Statistics {
        self.session.statistics()
    }

    /// Goes through the next stage.
    ///
    /// # Errors
    /// When there is nothing to verify: the entry function is missing.
    pub fn turn(&mut self) -> Result<Outcome, String> {
        let waits = self.waits && self.options.calls == Calls::Auto;
        if waits && self.needs_summaries {
            return Ok(Outcome::Open("functions that call themselves come later".to_owned()));
        }
        let Some(stage) = self.stages.pop_front() else {
            return Ok(Outcome::Open("no template is left to try".to_owned()));
        };
        let calls = if waits { Calls::Inline } else { self.options.calls };
        let options = Options { calls, ..self.options.clone() };
        // A query about runs is as large as they are, and proofs wait for it.
        self.session.set_conflict_budget(Some(self.conflicts() / SHARE_OF_RUNS));
        let runs = self.runs(&stage);
        self.session.set_conflict_budget(Some(self.conflicts()));
        let (outcome, enough) = match runs {
            Runs::Violate(key, inputs) => {
                // Whoever asks again has seen that it is none.
                let kind = key.0;
                self.spurious.insert((stage.unwind, key));
                if self.spurious.len() > MAX_SPURIOUS {
                    self.too_far = Some(stage.unwind);
                }
                self.stages.push_front(stage);
                return Ok(Outcome::Candidate(kind, inputs));
            }
            Runs::All => (Outcome::Proved(Vec::new()), true),
            Runs::Unknown if stage.templates.is_empty() => (Outcome::Open(String::new()), false),
            _ if stage.templates.is_empty() => (Outcome::Open(String::new()), true),
            _ => {
                let (subjects, terms) = (templates::subjects(&stage.templates), std::mem::take(&mut self.terms));
                let known = terms.len();
                let mut formula = match Formula::of(self.program, &options, stage.unwind, subjects, terms) {
                    Ok(formula) if waits && formula.recursive => {
                        (self.needs_summaries, self.terms) = (true, formula.terms);
                        self.stages.push_front(stage);
                        return Ok(Outcome::Open("functions that call themselves come later".to_owned()));
                    }
                    Ok(formula) => formula,
                    Err(failed) => {
                        let NoFormula { reason, terms } = *failed;
                        // What is unwound more is larger still.
                        self.terms = terms;
                        self.stages.retain(|other| other.unwind < stage.unwind || other.templates.is_empty());
                        return Ok(Outcome::Open(reason));
                    }
                };
                self.size = self.size.max((formula.terms.len() - known) as u64);
                if !self.alone && self.size > self.queries.saturating_mul(TERMS_PER_QUERY) {
                    self.terms = formula.terms;
                    self.stages.push_front(stage);
                    return Ok(Outcome::Open("large formulas come later".to_owned()));
                }
                if let Some(kind) = self.left().filter(|_| formula.allocates) {
                    (self.terms, self.stages) = (formula.terms, VecDeque::new());
                    return Ok(Outcome::Open(format!("templates do not answer `{kind}`")));
                }
                self.assumed_harmless.extend(formula.assumed_harmless.iter().cloned());
                let mut outcome = self.go_through(&stage, &mut formula);
                for _ in 0..MAX_DIVISIONS {
                    let Some(contexts) = outcome.contexts.take() else { break };
                    let divided = Options { contexts: contexts.clone(), ..options.clone() };
                    let terms = std::mem::take(&mut formula.terms);
                    match Formula::of(self.program, &divided, stage.unwind, subjects, terms) {
                        Ok(built) => (formula, self.options.contexts) = (built, contexts),
                        Err(failed) => {
                            formula.terms = failed.terms;
                            break;
                        }
                    }
                    outcome = self.go_through(&stage, &mut formula);
                }
                self.terms = formula.terms;
                (outcome.outcome, outcome.enough)
            }
        };
        if !enough && (self.alone || stage.trials + 1 < MAX_TRIALS) {
            self.stages.push_back(Stage { tried: self.queries, trials: stage.trials + 1, ..stage });
        }
        Ok(outcome)
    }

    /// What was asked about that templates have no answer to.
    fn left(&self) -> Option<CheckKind> {
        [CheckKind::Leak, CheckKind::Unfreed].into_iter().find(|kind| self.options.kinds.contains(kind))
    }

    /// What is known of the runs that pass each loop as often as a stage unwinds it.
    fn runs(&mut self, stage: &Stage) -> Runs {
        if self.explored >= stage.unwind || self.too_far.is_some_and(|far| far <= stage.unwind) {
            return Runs::None;
        }
        if !self.alone && self.queries < EFFORT_OF_RUNS {
            return Runs::Unknown;
        }
        if self.stuck >= self.queries {
            return Runs::Unknown;
        }
        let terms = std::mem::take(&mut self.terms);
        let (runs, terms) = match Formula::of_runs(self.program, &self.options, stage.unwind, terms) {
            Ok(formula) if formula.allocates && self.left().is_some() => (Runs::None, formula.terms),
            Ok(mut formula) => {
                self.assumed_harmless.extend(formula.assumed_harmless.iter().cloned());
                (self.bounded(&mut formula, stage.unwind), formula.terms)
            }
            Err(failed) => {
                (self.terms, self.too_far) = (failed.terms, Some(stage.unwind));
                return Runs::None;
            }
        };
        self.terms = terms;
        match runs {
            Runs::None => self.explored = stage.unwind,
            Runs::Unknown => self.stuck = self.queries,
            _ => {}
        }
        runs
    }

    /// Looks for an invariant.
    fn go_through(&mut self, stage: &Stage, formula: &mut Formula) -> Went {
        let hints = hints(self.program, formula);
        let all = templates::all();
        let chosen: Vec<&dyn Template> =
            all.iter().map(|t| &**t).filter(|template| stage.templates.contains(&template.name())).collect();
        // A function with a summary has rows of its own.
        let bodies = if self.alone { formula.bodies.len() as u64 } else { 1 };
        let precision = Precision { exact: stage.exact, queries: self.queries.saturating_mul(bodies) };
        let all: BTreeSet<Key> = formula.obligations.iter().map(key).collect();
        let obligations = formula.obligations.iter().filter(|o| !self.proved.contains(&key(o))).cloned().collect();
        let mut synthesis = Synthesis::new(formula, &mut self.session, &chosen, &hints, precision);
        match prove(&mut synthesis, obligations) {
            Ok(open) if open.is_empty() => {
                // Unwound copies of a body have heads of their own, which rows say nothing about.
                let wanted = self.wants_invariants && stage.unwind == 1;
                let facts = if wanted { synthesis.facts(self.program) } else { Ok(Vec::new()) };
                Went { outcome: Outcome::Proved(facts.unwrap_or_default()), enough: true, contexts: None }
            }
            Ok(open) => {
                let first = &open[0];
                let what = first.gap.clone().unwrap_or_else(|| format!("`{}` may fail", first.kind));
                let outcome = Outcome::Open(format!("{what} (line {})", first.loc.line));
                let contexts = synthesis.told_apart(&self.options.contexts).unwrap_or_default();
                if open.iter().all(|obligation| obligation.kind != CheckKind::Unsupported) {
                    let open: BTreeSet<Key> = open.iter().map(key).collect();
                    self.proved.extend(all.difference(&open).cloned());
                }
                Went { outcome, enough: true, contexts }
            }
            Err(Stop::OutOfBudget) => {
                let outcome = Outcome::Open("the solver's budget is used up".to_owned());
                Went { outcome, enough: false, contexts: None }
            }
        }
    }

    /// Bounded model checking: a run that violates something; and where there is none, whether these are all runs.
    fn bounded(&mut self, formula: &mut Formula, unwind: u32) -> Runs {
        let (gaps, wanted): (Vec<&Obligation>, Vec<&Obligation>) =
            formula.obligations.iter().partition(|obligation| obligation.gap.is_some());
        let terms = &mut formula.terms;
        let hoped = || wanted.iter().filter(|obligation| !self.spurious.contains(&(unwind, key(obligation))));
        let bad = hoped().fold(terms.falsity(), |any, obligation| terms.or(any, obligation.bad));
        let unclear = gaps.iter().fold(terms.falsity(), |any, gap| terms.or(any, gap.bad));
        let clear = terms.not(unclear);
        let axioms = &formula.bodies[0].axioms;
        let question: Vec<Term> = axioms.iter().copied().chain([clear, bad]).collect();
        match self.session.check(terms, &question) {
            Answer::Sat(model) => {
                let mut known = rustc_hash::FxHashMap::default();
                let first = hoped().find(|o| terms.evaluate_with(o.bad, &model, &mut known) == 1);
                // No model of the solver's is like that, but there must be no end to asking.
                let Some(key) = first.map(|obligation| key(obligation)) else { return Runs::Unknown };
                return Runs::Violate(key, inputs(formula, &model));
            }
            Answer::Unsat(_) => {}
            Answer::Unknown => return Runs::Unknown,
        }
        let others = formula.left_out.iter().fold(unclear, |any, &term| terms.or(any, term));
        let others = wanted.iter().fold(others, |any, obligation| terms.or(any, obligation.bad));
        let question: Vec<Term> = axioms.iter().copied().chain([others]).collect();
        match self.session.check(terms, &question) {
            Answer::Unsat(_) => Runs::All,
            _ => Runs::None,
        }
    }
}

/// What came of looking for an invariant.
struct Went {
    outcome: Outcome,
    /// Whether the effort was enough.
    enough: bool,
    /// Contexts of calls that may be worth telling apart.
    contexts: Option<Contexts>,
}

/// What is known of the runs that pass each loop a number of times at most.
enum Runs {
    /// None of them violates anything.
    None,
    /// None of them violates anything, and there are no others.
    All,
    /// One may violate a check, given these inputs.
    Violate(Key, Vec<Input>),
    /// The solver gave up.
    Unknown,
}

/// The choices of the world in a model.
fn inputs(formula: &Formula, model: &Assignment) -> Vec<Input> {
    let mut known = rustc_hash::FxHashMap::default();
    let mut value = |term| formula.terms.evaluate_with(term, model, &mut known);
    let mut inputs = Vec::new();
    for (guard, event) in &formula.events {
        if value(*guard) == 1 {
            inputs.push(match event {
                Event::Value(term) => Input::Value(value(*term)),
                Event::Allocation(term) => Input::Allocation(value(*term) == 1),
            });
        }
    }
    inputs
}

/// Finds an invariant and asks what it excludes: the obligations that it does not exclude.
fn prove(synthesis: &mut Synthesis<'_>, obligations: Vec<Obligation>) -> Result<Vec<Obligation>, Stop> {
    synthesis.grow()?;
    let left = synthesis.not_excluded(obligations)?;
    if left.is_empty() {
        return Ok(left);
    }
    // What bounds lost by growing fast may be what is missing.
    synthesis.shrink()?;
    synthesis.not_excluded(left)
}

/// What tells an obligation from others, in whichever copies it is there.
type Key = (CheckKind, Option<CheckId>, Option<String>, Loc);

fn key(obligation: &Obligation) -> Key {
    (obligation.kind, obligation.check, obligation.gap.clone(), obligation.loc)
}

/// The invariants of a formula's loops, and the contexts and summaries of its functions, for people.
///
/// # Errors
/// When a template is not known, or the solver gives up.
pub fn invariants(program: &Program, formula: Formula, names: &[String]) -> Result<String, String> {
    found(program, formula, names, |synthesis| synthesis.describe(program))
}

/// The summaries of a formula's functions with what calls pass to them, for people.
///
/// # Errors
/// When a template is not known, or the solver gives up.
pub fn summaries(program: &Program, formula: Formula, names: &[String]) -> Result<String, String> {
    found(program, formula, names, |synthesis| synthesis.describe_summaries(program))
}

fn found(
    program: &Program,
    mut formula: Formula,
    names: &[String],
    describe: impl FnOnce(&mut Synthesis<'_>) -> String,
) -> Result<String, String> {
    let names = if names.is_empty() { RELATED.to_vec() } else { named(names)? };
    let all = templates::all();
    let chosen: Vec<&dyn Template> = all.iter().map(|t| &**t).filter(|t| names.contains(&t.name())).collect();
    let hints = hints(program, &formula);
    let mut session = Session::default();
    let precision = Precision { exact: true, queries: MAX_QUERIES };
    let mut synthesis = Synthesis::new(&mut formula, &mut session, &chosen, &hints, precision);
    match synthesis.grow().and_then(|()| synthesis.shrink()) {
        Ok(()) => Ok(describe(&mut synthesis)),
        Err(Stop::OutOfBudget) => Err("the solver's budget is used up".to_owned()),
    }
}

/// The templates with these names.
fn named(chosen: &[String]) -> Result<Vec<&'static str>, String> {
    let known: Vec<&'static str> = templates::all().iter().map(|template| template.name()).collect();
    let find = |name: &String| {
        let found = known.iter().find(|known| *known == name).copied();
        found.ok_or_else(|| format!("no template `{name}`: there are {}", known.join(", ")))
    };
    chosen.iter().map(find).collect()
}
