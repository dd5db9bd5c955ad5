//! The template engine as an engine of the portfolio.

use std::collections::BTreeSet;

use cairn_ir::CheckKind;
use cairn_ir::check::Answerer;
use cairn_portfolio::Reason;
use cairn_portfolio::calls::Calls;
use cairn_portfolio::candidate::Candidate;
use cairn_portfolio::certificate::{Certificate, Claim, Method};
use cairn_portfolio::engine::{Budget, Effort, Engine, Finding, Goal, Observations, OpenChecks, Proof, Scope};
use cairn_portfolio::schedule::division::is_divided;
use cairn_portfolio::settings::{Engines, Setup};
use cairn_portfolio::task::Task;
use cairn_smt::Session;

use crate::engine::staged::{Outcome, Templates};
use crate::limits::MIN_SUMMARY_ROUND;
use crate::ssa::{self, Contexts};

/// The name of the engine.
pub const NAME: &str = "template";

/// The engine that completes a divided proof: it proves the absence of leaks and assumes the accesses proved here.
const PARTNER: &str = "prove";

/// The engine, which runs one stage per round.
struct Synthesising<'p> {
    program: &'p cairn_ir::Program,
    task: Task,
    calls: Calls,
    names: Vec<String>,
    goal: Goal,
    /// Whether no other engine searches for violations.
    is_alone: bool,
    /// Whether another engine proves the checks that templates do not answer.
    is_divided: bool,
    wants_invariants: bool,
    /// Whether the portfolio checks certificates.
    has_checker: bool,
    cancel: std::sync::Arc<std::sync::atomic::AtomicBool>,
    /// The check kinds that the stages must prove.
    kinds: BTreeSet<CheckKind>,
    templates: Templates<'p>,
    /// Why the last stage gave no answer.
    reason: Option<Reason>,
    /// The effort spent before the check kinds were narrowed.
    before: Effort,
}

/// Creates the engine.
///
/// # Errors
/// Fails if the settings name an unknown template.
pub fn engine<'p>(setup: &Setup<'p>) -> Result<Box<dyn Engine + 'p>, String> {
    let (task, settings) = (setup.task.clone(), &setup.settings);
    let is_alone = settings.engines == Engines::Template;
    let is_divided = is_divided(setup.program, &task);
    let is_asked = |kind: CheckKind| match setup.goal {
        Goal::FirstAnswer => !(is_divided && kind.is_of_the_end()),
        Goal::EveryCheck => kind.is_answered_by(Answerer::Template),
    };
    let kinds: BTreeSet<CheckKind> = task.kinds().filter(|&kind| is_asked(kind)).collect();
    let session = if is_alone { setup.session() } else { Session::new(setup.cancel.clone()) };
    let templates =
        Templates::new(setup.program, options(&task, settings.calls, &kinds), session, &settings.templates)?;
    let mut engine = Synthesising {
        program: setup.program,
        task,
        calls: settings.calls,
        names: settings.templates.clone(),
        goal: setup.goal,
        is_alone,
        is_divided,
        wants_invariants: settings.invariants,
        has_checker: settings.certifier.is_some(),
        cancel: setup.cancel.clone(),
        kinds,
        templates,
        reason: None,
        before: Effort::default(),
    };
    if is_alone {
        engine.templates.be_alone();
    }
    Ok(Box::new(engine))
}

fn options(task: &Task, calls: Calls, kinds: &BTreeSet<CheckKind>) -> ssa::Options {
    ssa::Options {
        entry: task.entry.clone(),
        kinds: kinds.iter().copied().collect(),
        malloc_fails: task.malloc_fails,
        assert_faults: task.assert_faults,
        calls,
        contexts: Contexts::default(),
    }
}

impl Synthesising<'_> {
    /// Drops the check kinds that a complete proof has shown. Fewer obligations may need weaker invariants.
    fn narrow(&mut self, open: &OpenChecks) {
        let Some(alarms) = &open.alarms else { return };
        let left: BTreeSet<CheckKind> =
            alarms.keys().map(|alarm| alarm.kind).filter(|kind| self.kinds.contains(kind)).collect();
        if left == self.kinds {
            return;
        }
        self.kinds = left;
        self.before.add_solver(&self.templates.statistics());
        let session = Session::new(self.cancel.clone());
        let options = options(&self.task, self.calls, &self.kinds);
        // The template names were checked when the engine was created.
        if let Ok(templates) = Templates::new(self.program, options, session, &self.names) {
            self.templates = templates;
            if self.is_alone {
                self.templates.be_alone();
            }
        }
    }

    /// Returns the certificate of the proof that was just found.
    fn certificate(&mut self) -> Certificate {
        let mut claim = Claim::of(NAME, &self.task, Method::Invariants);
        claim.harmless = self.templates.assumed_harmless.iter().cloned().collect();
        claim.reads_uninitialised = true;
        Certificate {
            claim,
            terms: Vec::new(),
            contexts: Vec::new(),
            places: Vec::new(),
            calls: Vec::new(),
            invariants: std::mem::take(&mut self.templates.recorded),
        }
    }

    /// Returns whether no template proof can contribute to the answer.
    fn is_useless(&self, open: &OpenChecks) -> bool {
        let is_without_partner = self.goal == Goal::FirstAnswer && self.is_divided && !open.is_waiting(PARTNER);
        self.kinds.is_empty() || is_without_partner
    }
}

impl Engine for Synthesising<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn waits(&self, open: &OpenChecks) -> bool {
        self.is_divided && open.is_working(PARTNER)
    }

    fn advance(&mut self, open: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        self.narrow(open);
        if self.is_useless(open) {
            return vec![Finding::Exhausted(self.reason.take().unwrap_or(Reason::TemplatesExhausted))];
        }
        if !self.is_alone {
            self.templates.set_effort(open.round);
            // A round runs one stage.
            budget.states = 0;
        } else if self.templates.needs_more_effort() {
            self.templates.try_harder();
        }
        self.templates.waits = open.is_working(PARTNER) && open.round < MIN_SUMMARY_ROUND;
        self.templates.wants_invariants = self.wants_invariants;
        // A complete proof has a certificate, which the portfolio checks.
        let covers_all = self.task.kinds().all(|kind| self.kinds.contains(&kind));
        self.templates.certifies = !(covers_all && self.has_checker);
        self.templates.records = covers_all;
        let mut findings = Vec::new();
        match self.templates.turn() {
            Ok(Outcome::Proved(invariants)) => {
                let certificate = covers_all.then(|| Box::new(self.certificate()));
                let scope = if covers_all { Scope::All } else { Scope::Kinds(self.kinds.iter().copied().collect()) };
                findings.push(Finding::Proved(Proof { scope, invariants, certificate, assumptions: BTreeSet::new() }));
                findings.push(Finding::Exhausted(Reason::TemplatesExhausted));
                return findings;
            }
            Ok(Outcome::Candidate(kind, inputs)) => {
                findings.push(Finding::Candidate(Candidate { kind, check: None, stack: Vec::new(), inputs }));
            }
            Ok(Outcome::Open(None)) => {}
            Ok(Outcome::Open(Some(why))) => {
                self.reason = Some(Reason::Template(why.reason.name(), why.to_string()));
            }
            Err(why) => return vec![Finding::Exhausted(Reason::Template("no-entry", why))],
        }
        if self.templates.is_done() {
            findings.push(Finding::Exhausted(self.reason.take().unwrap_or(Reason::TemplatesExhausted)));
        }
        findings
    }

    fn observations(&self) -> Observations {
        // The reason of the last stage is reported if time runs out. Next to other engines, the gaps must be theirs alone:
        // concrete attempts search for leaks only if there are none.
        let gaps = self.reason.iter().filter(|_| self.is_alone).cloned().collect();
        let assumed_harmless = self.templates.assumed_harmless.clone();
        Observations { gaps, assumed_harmless, ..Observations::default() }
    }

    fn effort(&self) -> Effort {
        let mut effort = self.before;
        effort.add_solver(&self.templates.statistics());
        effort
    }
}
