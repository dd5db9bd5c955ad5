//! Proving as an engine of the portfolio.

use std::collections::BTreeSet;

use cairn_exec::Options;
use cairn_exec::limits::MAX_WAITING;
use cairn_exec::reach::{self, Ended, Reach};
use cairn_ir::CheckKind;
use cairn_portfolio::certificate::{Certificate, Claim, Method};
use cairn_portfolio::engine::{Budget, Effort, Engine, Finding, Goal, Observations, OpenChecks, Proof, Scope};
use cairn_portfolio::schedule::division::is_divided;
use cairn_portfolio::settings::{Engines, Order, Setup};
use cairn_portfolio::{Reason, Task};
use cairn_smt::Session;

use crate::Prover;

/// The name of the engine.
pub const NAME: &str = "prove";

/// Proves a program in turns.
///
/// A proof that fails may be tried again: with calls followed that were analysed apart from their callers before, and with checks granted
/// that another engine has proved meanwhile.
struct Attempt<'p> {
    setup: Seed<'p>,
    prover: Prover<'p>,
    reach: Reach<Prover<'p>>,
    state: Progress,
    /// The kinds of checks that this proof takes for granted.
    granted: BTreeSet<CheckKind>,
    /// The result of the first of two attempts on the same question.
    first: Option<Outcome>,
    /// The work of earlier attempts.
    before: Effort,
    /// The observations of earlier attempts whose results count.
    earlier: Observations,
}

/// The parts of a set-up that a new attempt needs.
struct Seed<'p> {
    program: &'p cairn_ir::Program,
    options: Options,
    calls: cairn_portfolio::calls::Calls,
    goal: Goal,
    task: Task,
    certifies: bool,
    wants_invariants: bool,
    is_divided: bool,
    cancel: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// How far a proof is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// States wait to be stepped.
    Running,
    /// The proof has failed, and may succeed when other engines have proved some of its checks.
    Waiting,
}

/// What came of one attempt.
struct Outcome {
    /// The alarms, if the attempt has followed all executions up to their first violation.
    findings: Option<Vec<Finding>>,
    observations: Observations,
    reason: Reason,
}

impl Outcome {
    fn alarms(&self) -> usize {
        self.findings.as_ref().map_or(usize::MAX, Vec::len)
    }
}

/// Creates the engine.
///
/// # Errors
/// If the program has no entry function with a body.
pub fn engine<'p>(setup: &Setup<'p>) -> Result<Box<dyn Engine + 'p>, String> {
    let seed = Seed {
        program: setup.program,
        options: Options::of(&setup.task),
        calls: setup.settings.calls,
        goal: setup.goal,
        task: setup.task.clone(),
        certifies: setup.settings.certifier.is_some(),
        wants_invariants: setup.settings.invariants,
        is_divided: is_divided(setup.program, &setup.task),
        cancel: setup.cancel.clone(),
    };
    // With templates alone, a proof only takes over what they do not answer.
    let state = if setup.settings.engines == Engines::Template { Progress::Waiting } else { Progress::Running };
    let session = if state == Progress::Running { setup.session() } else { Session::new(setup.cancel.clone()) };
    let (prover, reach) = seed.prover(session, &BTreeSet::new(), false)?;
    Ok(Box::new(Attempt {
        setup: seed,
        prover,
        reach,
        state,
        granted: BTreeSet::new(),
        first: None,
        before: Effort::default(),
        earlier: Observations::default(),
    }))
}

impl<'p> Seed<'p> {
    fn prover(
        &self,
        session: Session,
        granted: &BTreeSet<CheckKind>,
        follows: bool,
    ) -> Result<(Prover<'p>, Reach<Prover<'p>>), String> {
        let options = Options { granted: granted.iter().copied().collect(), ..self.options.clone() };
        let mut prover = Prover::new(self.program, options, session)?;
        (prover.calls, prover.follows, prover.goes_on) = (self.calls, follows, self.goal == Goal::EveryCheck);
        let reach = Reach::new(&mut prover, Order::Ranked);
        Ok((prover, reach))
    }
}

impl Attempt<'_> {
    /// Starts again on the same question or with more checks granted.
    fn restart(&mut self, follows: bool) {
        self.before.add(&self.effort_of_prover());
        let session = Session::new(self.setup.cancel.clone());
        // The entry function was there before.
        if let Ok((prover, reach)) = self.setup.prover(session, &self.granted, follows) {
            (self.prover, self.reach, self.state) = (prover, reach, Progress::Running);
        }
    }

    fn effort_of_prover(&self) -> Effort {
        let (summaries, reused) = self.prover.summarised();
        let machine = &self.prover.lattice.machine;
        Effort { states: machine.steps, solver: machine.statistics(), summaries, reused, ..Effort::default() }
    }

    fn observations_of_prover(&self) -> Observations {
        let machine = &self.prover.lattice.machine;
        Observations {
            gaps: machine.gaps.clone(),
            assumed_harmless: machine.assumed_harmless.clone(),
            reads_uninitialised: machine.reads_uninitialised(),
        }
    }

    /// Returns what came of the attempt that has just ended with some trouble.
    fn outcome(&self, ended: Ended) -> Outcome {
        let observations = self.observations_of_prover();
        let alarm = self.prover.alarm().copied();
        let reason = alarm.map(Reason::Alarm).or_else(|| observations.gaps.first().cloned());
        let reason = reason.unwrap_or(Reason::TooManyStates);
        let covers = self.setup.goal == Goal::EveryCheck && ended == Ended::Complete && observations.gaps.is_empty();
        let findings = covers.then(|| {
            let alarms = self.prover.alarms().found.iter();
            let mut findings: Vec<Finding> = alarms.map(|(alarm, site)| Finding::Alarm(*alarm, *site)).collect();
            let scope = Scope::AllButAlarms { guides: !observations.reads_uninitialised };
            findings.push(Finding::Proved(Proof {
                scope,
                invariants: Vec::new(),
                certificate: self.certificate(),
                assumptions: BTreeSet::new(),
            }));
            findings
        });
        Outcome { findings, observations, reason }
    }

    /// Returns the certificate of the attempt that has just ended, if it is asked for.
    fn certificate(&self) -> Option<Box<Certificate>> {
        if !self.setup.certifies {
            return None;
        }
        let observations = self.observations_of_prover();
        let mut claim = Claim::of(NAME, &self.setup.task, Method::States);
        claim.granted = self.granted.iter().copied().collect();
        claim.alarms = self.prover.alarms().found.keys().copied().collect();
        claim.harmless = observations.assumed_harmless.into_iter().collect();
        claim.reads_uninitialised = observations.reads_uninitialised;
        Some(Box::new(self.prover.certificate(claim, self.reach.reached())))
    }

    /// Whether other engines may still prove checks that this proof has failed at.
    fn may_be_granted_more(&self, alarm: Option<CheckKind>) -> bool {
        self.setup.is_divided && alarm.is_some_and(|kind| kind.is_grantable() && !self.granted.contains(&kind))
    }

    /// Reports an attempt that has ended, together with the one before it on the same question.
    fn conclude(&mut self, last: Outcome) -> Vec<Finding> {
        let best = match self.first.take() {
            Some(first) if first.alarms() < last.alarms() => first,
            _ => last,
        };
        let alarm = match best.reason {
            Reason::Alarm(alarm) => Some(alarm.kind),
            _ => None,
        };
        let mut findings = best.findings.unwrap_or_default();
        let kinds: Vec<CheckKind> = findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Alarm(alarm, _) => Some(alarm.kind),
                _ => None,
            })
            .collect();
        self.earlier = best.observations;
        if self.may_be_granted_more(alarm) || kinds.iter().any(|&kind| self.may_be_granted_more(Some(kind))) {
            self.state = Progress::Waiting;
        } else {
            findings.push(Finding::Exhausted(best.reason));
        }
        findings
    }
}

impl Engine for Attempt<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn waits(&self, open: &OpenChecks) -> bool {
        let is_new = |kind: &CheckKind| kind.is_grantable() && !self.granted.contains(kind);
        self.state == Progress::Waiting && !open.granted.iter().any(is_new)
    }

    fn advance(&mut self, open: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        if self.state == Progress::Waiting {
            self.granted = open.granted.iter().copied().filter(|kind| kind.is_grantable()).collect();
            self.restart(false);
        }
        let before = self.reach.spent();
        let limits = reach::Budget { states: budget.states, waiting: MAX_WAITING, cancel: budget.cancel.clone() };
        let ended = self.reach.run(&mut self.prover, &limits);
        budget.states = budget.states.saturating_sub(self.reach.spent() - before);
        match ended {
            Ended::OutOfBudget if budget.states > 0 && !budget.is_cancelled() => {
                vec![Finding::Exhausted(Reason::TooManyStates)]
            }
            Ended::OutOfBudget => Vec::new(),
            Ended::Complete if self.prover.trouble().is_none() => {
                let wanted = self.setup.wants_invariants;
                let invariants = if wanted { self.prover.invariants(self.reach.reached()) } else { Vec::new() };
                vec![Finding::Proved(Proof {
                    scope: Scope::All,
                    invariants,
                    certificate: self.certificate(),
                    assumptions: BTreeSet::new(),
                })]
            }
            Ended::Complete | Ended::Done => {
                let outcome = self.outcome(ended);
                // A proof may lose facts at a call that it analyses apart from its callers, and keep them where it follows the call.
                if self.prover.may_follow() && !self.prover.follows {
                    self.first = Some(outcome);
                    self.restart(true);
                    return Vec::new();
                }
                self.conclude(outcome)
            }
        }
    }

    fn rejected(&mut self) -> bool {
        // A proof that follows all calls is easier to check.
        let tries = !self.prover.follows && self.prover.may_follow();
        if tries {
            self.first = None;
            self.restart(true);
        }
        tries
    }

    fn observations(&self) -> Observations {
        let mut observations = self.earlier.clone();
        let own = self.observations_of_prover();
        // The gaps of a proof say nothing about the search for violations.
        observations.gaps.clear();
        observations.assumed_harmless.extend(own.assumed_harmless);
        observations.reads_uninitialised |= own.reads_uninitialised;
        observations
    }

    fn effort(&self) -> Effort {
        let mut effort = self.before;
        effort.add(&self.effort_of_prover());
        effort
    }
}
