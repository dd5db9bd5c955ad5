//! The schedule: which engine works when.
//!
//! Engines work in rounds; each round is twice as long as the one before. A round goes through the entries of a schedule in their order.
//! An engine that is alone gets all the time. The search ends when the goal is reached, when every engine is exhausted or waits for
//! another, or when it is stopped from outside.

pub mod division;
mod ledger;

use std::collections::BTreeSet;

use crate::alarm::Alarm;
use crate::containment::{Failed, contained};
use crate::engine::{Budget, Effort, Engine, Finding, OpenChecks};
use crate::limits::{FIRST_ROUND, GROWTH_AFTER_REJECTION, INVARIANT_STATES};
use crate::reason::Reason;
use crate::schedule::ledger::{Ledger, Progress};
use crate::settings::{Engines, Setup};
use crate::verify::summarise;

/// Creates an engine.
///
/// # Errors
/// If the settings name something that the engine does not know.
pub type Create = for<'p> fn(&Setup<'p>) -> Result<Box<dyn Engine + 'p>, String>;

/// An engine's part in a schedule.
pub struct Entry {
    /// Creates the engine.
    pub create: Create,
    /// The engines that the user may choose for this entry to take part.
    pub with: &'static [Engines],
    /// The first round that the engine takes part in, by its length in states. It starts earlier if no other engine works.
    pub from: u64,
}

/// An engine in a running search.
struct Slot<'p> {
    engine: Box<dyn Engine + 'p>,
    from: u64,
    is_exhausted: bool,
}

/// A search that has ended.
pub(crate) struct Ended<'p> {
    pub(crate) ledger: Ledger<'p>,
    pub(crate) effort: Effort,
    /// The functions that were assumed to have no effect.
    pub(crate) assumed_harmless: BTreeSet<String>,
}

/// Runs the engines of a schedule until the goal is reached.
pub(crate) fn run<'p>(schedule: &[Entry], setup: &Setup<'p>) -> Result<Ended<'p>, String> {
    let mut search = Search::new(schedule, setup)?;
    let mut round = FIRST_ROUND;
    while search.round(round) {
        round = round.saturating_mul(2);
    }
    Ok(search.end())
}

struct Search<'a, 'p> {
    setup: &'a Setup<'p>,
    slots: Vec<Slot<'p>>,
    ledger: Ledger<'p>,
    /// The state of the ledger that was published last.
    published: Progress,
    /// The number of certificates that were accepted, and of those that were rejected.
    certified: u64,
    rejected: u64,
    /// The length of the current round in states, and that of the last one, if there is a limit.
    round: u64,
    last_round: Option<u64>,
}

impl<'a, 'p> Search<'a, 'p> {
    fn new(schedule: &[Entry], setup: &'a Setup<'p>) -> Result<Self, String> {
        let engines = setup.settings.engines;
        let mut entries: Vec<(usize, &Entry)> =
            schedule.iter().enumerate().filter(|(_, entry)| entry.with.contains(&engines)).collect();
        // The engine that starts first gets the solver session that the user has set up.
        entries.sort_by_key(|(index, entry)| (entry.from, *index));
        let mut slots = Vec::new();
        let mut failures = Vec::new();
        for (index, entry) in entries {
            match contained(|| (entry.create)(setup)) {
                Ok(engine) => slots.push((index, Slot { engine: engine?, from: entry.from, is_exhausted: false })),
                Err(message) => failures.push(Reason::InternalError("start of an engine", message)),
            }
        }
        slots.sort_by_key(|(index, _)| *index);
        let slots = slots.into_iter().map(|(_, slot)| slot).collect();
        let mut ledger = Ledger::new(setup.program, setup.task.clone(), setup.goal);
        failures.into_iter().for_each(|failure| ledger.add_reason("", failure));
        let published = ledger.progress();
        let last_round = setup.settings.last_round;
        Ok(Self { setup, slots, ledger, published, certified: 0, rejected: 0, round: 0, last_round })
    }

    /// Works for one round. Returns whether there is a reason for another one.
    fn round(&mut self, round: u64) -> bool {
        self.round = round;
        let mut open = self.ledger.open(round);
        for index in 0..self.slots.len() {
            self.refresh(&mut open);
            let slot = &self.slots[index];
            if slot.is_exhausted || !open.is_working(slot.engine.name()) || !self.is_due(index, &open) {
                continue;
            }
            let is_alone = open.working.len() == 1;
            let states = if is_alone { self.last_round.unwrap_or(u64::MAX) } else { round };
            let mut budget = Budget { states, cancel: self.setup.cancel.clone() };
            if self.work(index, &mut open, &mut budget) {
                return false;
            }
        }
        self.refresh(&mut open);
        let is_last = self.last_round.is_some_and(|last| round >= last);
        if is_last && !open.working.is_empty() {
            self.ledger.add_reason("", Reason::OutOfBudget);
        }
        !open.working.is_empty() && !is_last && !self.is_cancelled()
    }

    /// Whether the round is one of the engine's, or no engine that starts earlier works.
    fn is_due(&self, index: usize, open: &OpenChecks) -> bool {
        let slot = &self.slots[index];
        let is_earlier =
            |other: &Slot<'_>| other.from < slot.from && !other.is_exhausted && open.is_working(other.engine.name());
        open.round >= slot.from || !self.slots.iter().any(is_earlier)
    }

    /// Lets an engine work until its budget is used up. Returns whether the goal is reached.
    fn work(&mut self, index: usize, open: &mut OpenChecks, budget: &mut Budget) -> bool {
        loop {
            let name = self.slots[index].engine.name();
            let mut had_candidates = false;
            let findings = self.advance(index, open, budget);
            for finding in self.certified(index, findings) {
                had_candidates |= matches!(finding, Finding::Candidate(_));
                if let Finding::Exhausted(_) = finding {
                    self.slots[index].is_exhausted = true;
                }
                self.ledger.take(name, finding);
                if self.ledger.is_answered() {
                    break;
                }
            }
            self.ledger.close_turn();
            if self.ledger.is_answered() {
                self.complete_invariants(index, open);
                return true;
            }
            self.publish();
            let goes_on = had_candidates && budget.states > 0 && !self.slots[index].is_exhausted;
            if !goes_on || self.is_cancelled() {
                return false;
            }
            self.refresh(open);
        }
    }

    /// Lets an engine work for one turn. An engine that panics takes no further part.
    fn advance(&mut self, index: usize, open: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        let slot = &mut self.slots[index];
        let (name, observations) = (slot.engine.name(), slot.engine.observations());
        match contained(|| slot.engine.advance(open, budget)) {
            Ok(findings) => findings,
            Err(message) => {
                let failed = std::mem::replace(&mut slot.engine, Box::new(Failed { name, observations }));
                // Dropping a value in an inconsistent state may panic again.
                std::mem::forget(failed);
                slot.is_exhausted = true;
                self.ledger.add_reason(name, Reason::InternalError(name, message));
                Vec::new()
            }
        }
    }

    /// Publishes the answers so far, if they have changed.
    fn publish(&mut self) {
        let Some(receive) = &self.setup.progress else { return };
        let state = self.ledger.progress();
        if state != self.published {
            self.published = state;
            receive(summarise(&self.ended(self.ledger.clone()), self.setup));
        }
    }

    /// Lets the checker judge the proofs among the findings. If it rejects one, nothing of the turn counts.
    fn certified(&mut self, index: usize, findings: Vec<Finding>) -> Vec<Finding> {
        let Some(certifier) = &self.setup.settings.certifier else { return findings };
        let engine = &self.slots[index].engine;
        let effort = engine.effort();
        let cost = effort.states + effort.solver.queries;
        let alarms: Vec<Alarm> = findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Alarm(alarm, _) => Some(*alarm),
                _ => None,
            })
            .collect();
        let proofs = findings.iter().filter_map(|finding| match finding {
            Finding::Proved(proof) => proof.certificate.as_deref(),
            _ => None,
        });
        let mut why = None;
        for certificate in proofs {
            let granted = &certificate.claim.granted;
            let judged = if !certificate.claim.is_about(&self.setup.task, &alarms) {
                Err(String::from("it answers another question"))
            } else if granted.iter().any(|kind| !self.ledger.granted().contains(kind)) {
                Err(String::from("it takes unproved checks for granted"))
            } else {
                contained(|| (certifier.0)(self.setup.program, certificate, cost)).and_then(|judged| judged)
            };
            match judged {
                Ok(()) => self.certified += 1,
                Err(reason) => {
                    self.rejected += 1;
                    why.get_or_insert(reason);
                }
            }
        }
        let Some(why) = why else { return findings };
        if self.is_cancelled() {
            return Vec::new();
        }
        // The proof says that there is no further violation. Another proof is worth looking for, but not without end.
        let last_round = self.round.max(effort.states).saturating_mul(GROWTH_AFTER_REJECTION);
        self.last_round = Some(self.last_round.map_or(last_round, |last| last.min(last_round)));
        let slot = &mut self.slots[index];
        let reason = Reason::CertificateRejected(slot.engine.name(), why);
        if slot.engine.rejected() {
            self.ledger.add_reason(slot.engine.name(), reason);
            return Vec::new();
        }
        vec![Finding::Exhausted(reason)]
    }

    /// Asks a proof for the invariants of loops where an engine without abstraction was faster.
    fn complete_invariants(&mut self, by: usize, open: &OpenChecks) {
        if !self.setup.settings.invariants || !self.ledger.lacks_invariants() {
            return;
        }
        for index in 0..self.slots.len() {
            if index == by || self.slots[index].is_exhausted {
                continue;
            }
            let mut budget = Budget { states: INVARIANT_STATES, cancel: self.setup.cancel.clone() };
            for finding in self.advance(index, open, &mut budget) {
                if let Finding::Proved(proof) = finding
                    && !proof.invariants.is_empty()
                {
                    self.ledger.set_invariants(proof.invariants);
                    return;
                }
            }
        }
    }

    /// Brings up to date what the engines look at.
    fn refresh(&self, open: &mut OpenChecks) {
        *open = self.ledger.open(open.round);
        open.gaps = self.slots.iter().flat_map(|slot| slot.engine.observations().gaps).collect();
        open.working = self.slots.iter().filter(|slot| !slot.is_exhausted).map(|slot| slot.engine.name()).collect();
        // An engine that waits for a second one which waits for a third has to see that the second one does not work.
        for slot in self.slots.iter().filter(|slot| !slot.is_exhausted) {
            if slot.engine.waits(open) {
                let name = slot.engine.name();
                open.working.retain(|other| *other != name);
                open.waiting.push(name);
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.setup.cancel.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn end(self) -> Ended<'p> {
        let ledger = self.ledger.clone();
        self.ended(ledger)
    }

    /// Returns the search as if it ended now.
    fn ended(&self, mut ledger: Ledger<'p>) -> Ended<'p> {
        let mut effort = Effort { certified: self.certified, rejected: self.rejected, ..Effort::default() };
        let mut assumed_harmless = BTreeSet::new();
        for slot in &self.slots {
            effort.add(&slot.engine.effort());
            let observations = slot.engine.observations();
            assumed_harmless.extend(observations.assumed_harmless);
            if !slot.is_exhausted && !ledger.is_answered() {
                observations.gaps.into_iter().for_each(|gap| ledger.add_reason(slot.engine.name(), gap));
            }
        }
        if self.is_cancelled() && !ledger.is_answered() {
            ledger.add_reason("", Reason::OutOfTime);
        }
        Ended { ledger, effort, assumed_harmless }
    }
}
