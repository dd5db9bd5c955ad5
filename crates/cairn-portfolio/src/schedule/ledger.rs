//! The ledger: what the engines of a search have found out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cairn_ir::{CheckKind, Program};

use crate::alarm::{Alarm, Site};
use crate::certificate::Certificate;
use crate::confirm::{Confirmer, is_of};
use crate::engine::{Finding, Goal, OpenChecks, Proof, Scope};
use crate::invariant::LoopInvariant;
use crate::limits::MAX_FINDINGS;
use crate::reason::Reason;
use crate::task::Task;
use crate::verdict::Violation;

/// The findings of a search.
#[derive(Clone, Debug)]
pub(crate) struct Ledger<'p> {
    goal: Goal,
    confirmer: Confirmer<'p>,
    /// Whether every check is proved, up to the violations.
    proved: Option<Vec<LoopInvariant>>,
    /// The checks that a complete proof has left open.
    alarms: Option<BTreeMap<Alarm, Site>>,
    /// Whether a search for violations may look for these alarms alone.
    guides: bool,
    /// Alarms of the turn at hand, until it is known whether they are all.
    raised: BTreeMap<Alarm, Site>,
    covers_rest: Option<bool>,
    granted: BTreeSet<CheckKind>,
    /// The certificate of the last proof of all checks, apart from its alarms.
    certificate: Option<Arc<Certificate>>,
    reasons: Vec<(&'static str, Reason)>,
}

impl<'p> Ledger<'p> {
    pub(crate) fn new(program: &'p Program, task: Task, goal: Goal) -> Self {
        Self {
            goal,
            confirmer: Confirmer::new(program, task, goal),
            proved: None,
            alarms: None,
            guides: false,
            raised: BTreeMap::new(),
            covers_rest: None,
            granted: BTreeSet::new(),
            certificate: None,
            reasons: Vec::new(),
        }
    }

    /// Returns what engines look at. The schedule adds which engines work.
    pub(crate) fn open(&self, round: u64) -> OpenChecks {
        OpenChecks {
            goal: self.goal,
            alarms: self.open_alarms(),
            guides: self.guides,
            granted: self.granted.clone(),
            unconfirmed: self.confirmer.unconfirmed(),
            gaps: BTreeSet::new(),
            working: Vec::new(),
            waiting: Vec::new(),
            round,
        }
    }

    /// Returns the alarms of a complete proof that neither a violation nor another proof has settled.
    pub(crate) fn open_alarms(&self) -> Option<BTreeMap<Alarm, Site>> {
        let mut alarms = self.alarms.clone()?;
        alarms.retain(|alarm, _| {
            !self.granted.contains(&alarm.kind) && !self.confirmer.found().any(|violation| is_of(violation, alarm))
        });
        Some(alarms)
    }

    /// Takes a finding of an engine.
    pub(crate) fn take(&mut self, engine: &'static str, finding: Finding) {
        match finding {
            Finding::Proved(Proof { scope: Scope::All, invariants, certificate }) => {
                self.proved = Some(invariants);
                self.certificate = certificate.map(Arc::from);
            }
            Finding::Proved(Proof { scope: Scope::AllButAlarms { guides }, certificate, .. }) => {
                self.covers_rest = Some(guides);
                self.certificate = certificate.map(Arc::from);
            }
            Finding::Proved(Proof { scope: Scope::Kinds(kinds), .. }) => self.granted.extend(kinds),
            Finding::Candidate(candidate) => self.confirmer.judge(engine, &candidate),
            Finding::Alarm(alarm, site) => {
                self.raised.insert(alarm, site);
            }
            Finding::Exhausted(reason) => self.add_reason(engine, reason),
        }
    }

    /// Ends the turn of an engine: its alarms count if the engine has proved all other checks.
    pub(crate) fn close_turn(&mut self) {
        let raised = std::mem::take(&mut self.raised);
        let Some(guides) = self.covers_rest.take() else { return };
        self.guides = guides;
        // Each of two proofs covers the checks that it raises no alarm about.
        self.alarms = Some(match self.alarms.take() {
            Some(mut alarms) => {
                alarms.retain(|alarm, _| raised.contains_key(alarm));
                alarms
            }
            None => raised,
        });
    }

    /// Whether the goal of the search is reached.
    pub(crate) fn is_answered(&self) -> bool {
        let found = self.confirmer.found().len();
        match self.goal {
            Goal::FirstAnswer => self.proved.is_some() || found > 0,
            Goal::EveryCheck => {
                self.proved.is_some()
                    || found >= MAX_FINDINGS
                    || (self.raised.is_empty() && self.open_alarms().is_some_and(|open| open.is_empty()))
            }
        }
    }

    pub(crate) fn add_reason(&mut self, engine: &'static str, reason: Reason) {
        if !self.reasons.iter().any(|(_, known)| *known == reason) {
            self.reasons.push((engine, reason));
        }
    }

    pub(crate) fn lacks_invariants(&self) -> bool {
        self.proved.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns the certificate of the last proof of all checks, apart from its alarms.
    pub(crate) fn certificate(&self) -> Option<Arc<Certificate>> {
        self.certificate.clone()
    }

    pub(crate) fn set_invariants(&mut self, invariants: Vec<LoopInvariant>) {
        self.proved = Some(invariants);
    }

    /// Whether every check that is not violated is proved.
    pub(crate) fn is_proved(&self) -> bool {
        self.proved.is_some() || self.open_alarms().is_some_and(|open| open.is_empty())
    }

    /// Whether the search stopped because there are too many violations.
    pub(crate) fn is_full(&self) -> bool {
        self.confirmer.found().len() >= MAX_FINDINGS
    }

    pub(crate) fn granted(&self) -> &BTreeSet<CheckKind> {
        &self.granted
    }

    /// Returns the violations with their traces, in the order of their locations.
    pub(crate) fn violations(&self) -> impl ExactSizeIterator<Item = &Violation> {
        self.confirmer.found()
    }

    /// Returns the invariants of the loops, if they were asked for.
    pub(crate) fn invariants(&self) -> &[LoopInvariant] {
        self.proved.as_deref().unwrap_or_default()
    }

    /// Returns why engines have given up, each with the name of the engine.
    pub(crate) fn reasons(&self) -> Vec<(&'static str, Reason)> {
        let mut reasons = self.reasons.clone();
        for (engine, kinds) in self.confirmer.unconfirmed() {
            reasons.extend(kinds.into_iter().map(|kind| (engine, Reason::Unconfirmed(kind))));
        }
        let failures = self.confirmer.failures.iter();
        reasons.extend(failures.map(|message| ("", Reason::InternalError("replay", message.clone()))));
        reasons
    }

    /// Returns numbers that change whenever the answers do.
    pub(crate) fn progress(&self) -> (usize, Option<usize>, usize) {
        (self.confirmer.found().len(), self.alarms.as_ref().map(BTreeMap::len), self.granted.len())
    }
}
