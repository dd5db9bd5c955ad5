//! The ledger: what the engines of a search have found out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cairn_ir::analysis::call_graph::{CallGraph, Calls};
use cairn_ir::{CheckId, CheckKind, FuncId, Program};

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
    program: &'p Program,
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
    singles: Singles,
    /// The certificate of the last proof of all checks, apart from its alarms.
    certificate: Option<Arc<Certificate>>,
    reasons: Vec<(&'static str, Reason)>,
}

/// Numbers that change whenever the answers do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Progress {
    violations: usize,
    alarms: Option<usize>,
    granted: usize,
    singles: usize,
}

/// The checks that are proved one by one.
#[derive(Clone, Debug)]
struct Singles {
    proved: Arc<BTreeSet<CheckId>>,
    /// The functions without a definition that the proofs of a check rest on, for checks without an unconditional proof.
    assumptions: BTreeMap<CheckId, BTreeSet<String>>,
    /// Whether faults that belong to no check are excluded.
    excludes_others: bool,
    /// The checks of the task that are not proved, in library models as well, without those of the program's end.
    open: BTreeSet<CheckId>,
    /// The kinds of the program's end that the task asks about.
    of_the_end: Vec<CheckKind>,
}

impl Singles {
    fn new(program: &Program, task: &Task) -> Self {
        let kinds: BTreeSet<CheckKind> = task.kinds().collect();
        let is_asked = |kind: CheckKind| kinds.contains(&kind) && !kind.is_of_the_end();
        let open = (0..program.checks.len()).filter(|&i| is_asked(program.checks[i].kind)).map(CheckId::new).collect();
        let of_the_end = kinds.iter().copied().filter(|kind| kind.is_of_the_end()).collect();
        Self { proved: Arc::default(), assumptions: BTreeMap::new(), excludes_others: false, open, of_the_end }
    }

    fn add(&mut self, checks: Vec<CheckId>, excludes_others: bool, assumptions: &BTreeSet<String>) {
        self.excludes_others |= excludes_others;
        for check in &checks {
            let is_new = self.open.remove(check);
            if assumptions.is_empty() {
                self.assumptions.remove(check);
            } else if is_new {
                self.assumptions.insert(*check, assumptions.clone());
            }
        }
        Arc::make_mut(&mut self.proved).extend(checks);
    }

    fn withdraw(&mut self) {
        self.excludes_others = false;
        self.assumptions.clear();
        self.open.extend(std::mem::take(&mut self.proved).iter().copied());
    }

    /// Returns how many alarms there are beside the checks of the user's functions: calls of library models with open checks, and faults
    /// that belong to no check.
    fn alarms_elsewhere(&self, program: &Program, granted: &BTreeSet<CheckKind>) -> usize {
        if self.proved.is_empty() {
            return 0;
        }
        let open = self.open.iter().map(|check| &program.checks[check.index()]);
        let open = open.filter(|check| !granted.contains(&check.kind) && !is_of_user(program, check.function));
        let open: Vec<FuncId> = open.map(|check| check.function).collect();
        let calls = if open.is_empty() { 0 } else { calls_of(program, &open) };
        // An open check stands for one call at least, even if no call of the user leads to it.
        open.len().min(calls.max(1)) + usize::from(!self.excludes_others)
    }

    /// Whether every check of the task is proved, given the kinds that are proved as a whole.
    fn cover(&self, program: &Program, granted: &BTreeSet<CheckKind>) -> bool {
        self.excludes_others
            && self.assumptions.is_empty()
            && self.open.iter().all(|check| granted.contains(&program.checks[check.index()].kind))
            && self.of_the_end.iter().all(|kind| granted.contains(kind))
    }
}

fn is_of_user(program: &Program, function: FuncId) -> bool {
    program.functions.get(function.index()).is_some_and(|function| function.origin.is_of_user())
}

/// Returns how many calls in the user's functions lead to one of some library models.
fn calls_of(program: &Program, models: &[FuncId]) -> usize {
    let graph = CallGraph::of(program);
    let mut leads: Vec<bool> = vec![false; program.functions.len()];
    models.iter().for_each(|model| leads[model.index()] = true);
    loop {
        let is_new = |index: usize| {
            let function = FuncId::new(index);
            !leads[index]
                && !is_of_user(program, function)
                && graph.callees(function, Calls::Named).any(|f| leads[f.index()])
        };
        let new: Vec<usize> = (0..leads.len()).filter(|&index| is_new(index)).collect();
        if new.is_empty() {
            break;
        }
        new.into_iter().for_each(|index| leads[index] = true);
    }
    let by_pointer = graph.addressed().iter().any(|function| leads[function.index()]);
    let users = (0..program.functions.len()).map(FuncId::new).filter(|&function| is_of_user(program, function));
    users
        .map(|function| {
            let named = graph.named_calls(function).iter().filter(|callee| leads[callee.index()]).count();
            named + if by_pointer { graph.pointer_calls(function) } else { 0 }
        })
        .sum()
}

impl<'p> Ledger<'p> {
    pub(crate) fn new(program: &'p Program, task: Task, goal: Goal) -> Self {
        Self {
            goal,
            singles: Singles::new(program, &task),
            program,
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
            proved: self.singles.proved.clone(),
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
            !self.granted.contains(&alarm.kind)
                && !alarm.check.is_some_and(|check| self.singles.proved.contains(&check))
                && !self.confirmer.found().any(|violation| is_of(violation, alarm))
        });
        Some(alarms)
    }

    /// Takes a finding of an engine.
    pub(crate) fn take(&mut self, engine: &'static str, finding: Finding) {
        match finding {
            Finding::Proved(Proof { scope: Scope::All, invariants, certificate, .. }) => {
                self.proved = Some(invariants);
                self.certificate = certificate.map(Arc::from);
            }
            Finding::Proved(Proof { scope: Scope::AllButAlarms { guides }, certificate, .. }) => {
                self.covers_rest = Some(guides);
                self.certificate = certificate.map(Arc::from);
            }
            Finding::Proved(Proof { scope: Scope::Kinds(kinds), .. }) => self.granted.extend(kinds),
            Finding::Proved(Proof { scope: Scope::Checks { checks, excludes_others }, assumptions, .. }) => {
                self.singles.add(checks, excludes_others, &assumptions);
            }
            Finding::Candidate(candidate) => {
                self.confirmer.judge(engine, &candidate);
                self.refute();
            }
            Finding::Alarm(alarm, site) => {
                self.raised.insert(alarm, site);
            }
            Finding::Exhausted(reason) => self.add_reason(engine, reason),
        }
    }

    /// Drops all proofs of single checks if a replayed execution violates one of them: the engine behind them is wrong.
    fn refute(&mut self) {
        let is_wrong = |check: CheckId| self.singles.proved.contains(&check);
        let Some(check) = self.confirmer.found().filter_map(|v| v.fault.check).find(|&check| is_wrong(check)) else {
            return;
        };
        self.singles.withdraw();
        let message = format!("check {check} was proved, but an execution violates it");
        self.add_reason("", Reason::InternalError("proof of single checks", message));
    }

    /// Ends the turn of an engine: its alarms count if the engine has proved all other checks.
    pub(crate) fn close_turn(&mut self) {
        let raised = std::mem::take(&mut self.raised);
        let Some(guides) = self.covers_rest.take() else { return };
        self.guides = guides;
        // Each of two proofs covers the checks that it raises no alarm about.
        self.alarms = Some(match self.alarms.take() {
            Some(mut alarms) => {
                alarms.retain(|alarm, _| raised.keys().any(|other| other.is_about_same(alarm)));
                alarms
            }
            None => raised,
        });
    }

    /// Whether the goal of the search is reached.
    pub(crate) fn is_answered(&self) -> bool {
        let found = self.confirmer.found().len();
        match self.goal {
            Goal::FirstAnswer => self.proved.is_some() || found > 0 || self.are_singles_complete(),
            Goal::EveryCheck => {
                self.proved.is_some()
                    || self.are_singles_complete()
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
        self.proved.is_some() || self.are_singles_complete() || self.open_alarms().is_some_and(|open| open.is_empty())
    }

    /// Whether the proofs of single checks cover the task.
    fn are_singles_complete(&self) -> bool {
        self.singles.cover(self.program, &self.granted)
    }

    /// Returns how many checks the proofs of single checks leave open beside those of the user's functions.
    pub(crate) fn alarms_elsewhere(&self) -> usize {
        self.singles.alarms_elsewhere(self.program, &self.granted)
    }

    /// Whether a check is proved by itself.
    pub(crate) fn is_single(&self, check: CheckId) -> bool {
        self.singles.proved.contains(&check)
    }

    /// Returns the functions without a definition that the proof of a single check rests on.
    pub(crate) fn assumptions_of(&self, check: CheckId) -> Option<&BTreeSet<String>> {
        self.singles.assumptions.get(&check)
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
    pub(crate) fn progress(&self) -> Progress {
        Progress {
            violations: self.confirmer.found().len(),
            alarms: self.alarms.as_ref().map(BTreeMap::len),
            granted: self.granted.len(),
            singles: self.singles.proved.len(),
        }
    }
}
