//! Exploration as an engine of the portfolio.

use std::collections::BTreeSet;

use cairn_exec::limits::MAX_WAITING;
use cairn_exec::reach::{self, Ended, Reach};
use cairn_exec::{Machine, Options};
use cairn_ir::{CheckKind, Loc};
use cairn_portfolio::alarm::Alarm;
use cairn_portfolio::certificate::{Certificate, Claim, Method};
use cairn_portfolio::engine::{Budget, Effort, Engine, Finding, Observations, OpenChecks, Proof, Scope};
use cairn_portfolio::settings::Setup;
use cairn_portfolio::{Reason, Task};

use crate::guide::Guide;
use crate::{Explorer, Exploring};

/// The name of the engine.
pub const NAME: &str = "explore";

/// An exploration that advances in rounds.
struct Exploration<'p> {
    explorer: Explorer<'p>,
    reach: Reach<Explorer<'p>>,
    /// The alarms that the search looks for, if it leaves out paths to others.
    guided_to: Option<BTreeSet<Alarm>>,
    task: Task,
    certifies: bool,
}

/// Creates the engine.
///
/// # Errors
/// If the program has no entry function with a body.
pub fn engine<'p>(setup: &Setup<'p>) -> Result<Box<dyn Engine + 'p>, String> {
    let settings = &setup.settings;
    let options = Options { allocation_check: settings.allocation_check, ..Options::of(&setup.task) };
    let mut explorer = Explorer::new(setup.program, options, setup.session())?;
    let reach = Reach::new(&mut explorer, settings.order);
    let certifies = settings.certifier.is_some();
    Ok(Box::new(Exploration { explorer, reach, guided_to: None, task: setup.task.clone(), certifies }))
}

impl<'p> Exploration<'p> {
    fn machine(&self) -> &Machine<'p, Exploring> {
        &self.explorer.machine
    }

    /// Returns an open alarm that a guided search did not look for.
    ///
    /// Proofs of single checks settle alarms, and are withdrawn if an execution contradicts one of them.
    fn missed(&self, open: &OpenChecks) -> Option<Alarm> {
        let guided_to = self.guided_to.as_ref()?;
        open.alarms.iter().flat_map(|alarms| alarms.keys()).find(|alarm| !guided_to.contains(alarm)).copied()
    }

    /// Returns the certificate of a complete exploration: its question, since execution without abstraction answers it again.
    ///
    /// A search for alarms rests on the proof that raised them.
    fn certificate(&self) -> Option<Certificate> {
        if !self.certifies || self.guided_to.is_some() {
            return None;
        }
        let mut claim = Claim::of(NAME, &self.task, Method::Paths);
        claim.harmless = self.machine().assumed_harmless.iter().cloned().collect();
        claim.alarms = self.explorer.alarms().keys().copied().collect();
        claim.reads_uninitialised = self.machine().reads_uninitialised();
        let (terms, contexts, places, calls) = Default::default();
        Some(Certificate { claim, terms, contexts, places, calls, invariants: Vec::new() })
    }
}

impl Engine for Exploration<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn advance(&mut self, open: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        if let Some(alarms) = open.alarms.as_ref().filter(|_| open.guides && self.guided_to.is_none()) {
            self.guided_to = Some(alarms.keys().copied().collect());
            self.explorer.follow(Guide::new(self.machine().program, alarms));
        }
        let before = self.machine().steps;
        let limits = reach::Budget { states: budget.states, waiting: MAX_WAITING, cancel: budget.cancel.clone() };
        let ended = self.reach.run(&mut self.explorer, &limits);
        budget.states = budget.states.saturating_sub(self.machine().steps - before);
        let mut findings: Vec<Finding> = self.explorer.take_candidates().into_iter().map(Finding::Candidate).collect();
        match ended {
            Ended::Done => {}
            // The next round tells whether these candidates were confirmed.
            _ if !findings.is_empty() => {}
            Ended::OutOfBudget if budget.states > 0 && !budget.is_cancelled() => {
                findings.push(Finding::Exhausted(Reason::TooManyStates));
            }
            Ended::OutOfBudget => {}
            Ended::Complete if self.missed(open).is_some() => {
                findings.extend(self.missed(open).map(|alarm| Finding::Exhausted(Reason::Alarm(alarm))));
            }
            Ended::Complete => match (open.unconfirmed_of(NAME), self.machine().gaps.first()) {
                (Some(kind), _) => findings.push(Finding::Exhausted(Reason::Unconfirmed(kind))),
                (None, Some(gap)) => findings.push(Finding::Exhausted(gap.clone())),
                (None, None) if self.explorer.may_leak_in_cycle() => {
                    let alarm = Alarm { kind: CheckKind::Leak, loc: Loc::NONE, check: None };
                    findings.push(Finding::Exhausted(Reason::Alarm(alarm)));
                }
                (None, None) => {
                    let alarms = self.explorer.alarms();
                    findings.extend(alarms.iter().map(|(&alarm, &site)| Finding::Alarm(alarm, site)));
                    let left = alarms.keys().next().map(|&alarm| Finding::Exhausted(Reason::Alarm(alarm)));
                    let scope = if alarms.is_empty() { Scope::All } else { Scope::AllButAlarms { guides: false } };
                    let certificate = self.certificate().map(Box::new);
                    findings.push(Finding::Proved(Proof {
                        scope,
                        invariants: Vec::new(),
                        certificate,
                        assumptions: Default::default(),
                    }));
                    findings.extend(left);
                }
            },
        }
        findings
    }

    fn observations(&self) -> Observations {
        let machine = self.machine();
        Observations {
            gaps: machine.gaps.clone(),
            assumed_harmless: machine.assumed_harmless.clone(),
            reads_uninitialised: machine.reads_uninitialised(),
        }
    }

    fn effort(&self) -> Effort {
        Effort { states: self.machine().steps, solver: self.machine().statistics(), ..Effort::default() }
    }
}
