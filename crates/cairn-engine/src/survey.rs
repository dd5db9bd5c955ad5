//! Every property at once: the search goes on after a violation, and says of each check whether it is violated, proved or
//! neither, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, Program};

use crate::engines::shape::{Candidate, Explorer, Options};
use crate::granted::is_of_the_end;
use crate::portfolio::{CANCELLED, Effort, Engines, MAX_WAITING, Search, Task, proof_of};
use crate::reach::{Budget, Domain, Ended, Reach};
use crate::replay::{Unset, replay, trace};
use crate::verdict::{Property, Violation};

/// Findings after which the search is given up: nobody reads more of them before mending some.
const MAX_FINDINGS: usize = 100;

/// States that are explored before a proof is tried, when nothing was found by then.
const STATES_BEFORE_PROOF: u64 = 20_000;

/// States of a proof.
const STATES_OF_PROOF: u64 = 50_000;

/// Candidates at one place that are replayed. One is enough to show what is wrong there; more are tried because a leak has a
/// second place, where the object was allocated, and because one that does not replay says nothing about the next.
const REPLAYS_PER_PLACE: u32 = 4;

/// Candidates at one place whose runs violate something else first. They are cheap, but not for nothing.
const SHADOWED_PER_PLACE: u32 = 256;

/// Whether the exploration goes on behind a violation of this kind.
const fn goes_on(kind: CheckKind) -> bool {
    matches!(kind, CheckKind::Uninitialised | CheckKind::Overlap)
}

/// What is known of a whole program.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What is violated, each once, in the order of the places.
    pub findings: Vec<Violation>,
    /// Checks in the user's functions that can be reached from the entry.
    pub checks: Counts,
    /// Why those that are neither proved nor violated are not decided; empty when there are none.
    pub reasons: Vec<String>,
}

/// Checks by what is known of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// They hold on every run, up to the first violation of another.
    pub proved: usize,
    /// A run violates them.
    pub violated: usize,
    /// Neither is shown.
    pub unknown: usize,
}

/// Answers all checks of a task's properties.
///
/// # Errors
/// When there is nothing to verify: the entry function is missing.
pub fn survey(
    program: &Program,
    task: &Task,
    search: Search,
    cancel: &Arc<AtomicBool>,
) -> Result<(Survey, Effort), String> {
    let options = Options { allocation_check: search.allocation_check, ..task.exploring() };
    let mut explorer = Explorer::new(program, options, search.session)?;
    let budget = |states| Budget { states, waiting: MAX_WAITING, cancel: cancel.clone() };
    let mut surveyor = Surveyor {
        explorer: &mut explorer,
        program,
        task,
        cancel,
        found: BTreeMap::new(),
        places: BTreeMap::new(),
        stopped: false,
    };
    let mut run = Reach::new(&mut surveyor, search.order);
    let proves = search.engines == Engines::All;
    let mut ended = run.run(&mut surveyor, &budget(if proves { STATES_BEFORE_PROOF } else { u64::MAX }));
    let mut proof = None;
    if proves && ended == Ended::OutOfBudget && surveyor.places.is_empty() {
        proof = proof_of(program, task, &budget(STATES_OF_PROOF))?;
        if proof.is_none() {
            ended = run.run(&mut surveyor, &budget(u64::MAX));
        }
    }
    let Surveyor { found, places, .. } = surveyor;
    if let Some(assumed) = proof {
        let reasons: Vec<String> = assumed.iter().map(|name| assumption(name)).collect();
        let total = count_checks(program, task, None);
        let (proved, unknown) = if reasons.is_empty() { (total, 0) } else { (0, total) };
        let checks = Counts { proved, violated: 0, unknown };
        let effort = Effort { solver: explorer.statistics(), states: explorer.steps(), ..Effort::default() };
        return Ok((Survey { findings: Vec::new(), checks, reasons }, effort));
    }

    let mut reasons = Vec::new();
    match ended {
        Ended::Complete => {}
        Ended::Done => reasons.push(format!("the search was given up after {MAX_FINDINGS} findings")),
        Ended::OutOfBudget if cancel.load(Ordering::Relaxed) => reasons.push(CANCELLED.to_owned()),
        Ended::OutOfBudget => reasons.push("too many states".to_owned()),
    }
    reasons.extend(explorer.gaps.iter().cloned());
    reasons.extend(explorer.assumed_harmless.iter().map(|name| assumption(name)));
    let unconfirmed: BTreeSet<CheckKind> =
        places.iter().filter(|(_, place)| place.replays > 0 && !place.confirmed).map(|(key, _)| key.kind).collect();
    // Reading an uninitialised value is only a reason to look.
    for kind in unconfirmed.into_iter().filter(|kind| *kind != CheckKind::Uninitialised) {
        reasons.push(format!("a candidate for {kind} did not replay"));
    }

    let mut findings: Vec<Violation> = found.into_values().collect();
    for violation in &mut findings {
        trace(program, task, violation);
    }
    let mut total = count_checks(program, task, None);
    let violated = violated_checks(&findings).min(total);
    let unset = explorer.reads_uninitialised() && task.besides.contains(&CheckKind::Uninitialised);
    let uses = count_checks(program, task, Some(CheckKind::Uninitialised));
    if unset && uses == 0 {
        // What uses it is a function of the library.
        total += 1;
    }
    let rest = total - violated;
    let unknown = if !reasons.is_empty() {
        rest
    } else if unset && rest > 0 {
        // Uses of uninitialised values are looked for in one run of each path, and shown to be none only where none is read.
        let found = findings.iter().filter(|v| v.fault.kind == CheckKind::Uninitialised).count();
        reasons.push("an uninitialised value is read, and not everything that it may decide is followed".to_owned());
        uses.max(1).saturating_sub(found).clamp(1, rest)
    } else {
        0
    };
    let checks = Counts { proved: rest - unknown, violated, unknown };
    let effort = Effort { solver: explorer.statistics(), states: explorer.steps(), ..Effort::default() };
    Ok((Survey { findings, checks, reasons }, effort))
}

fn assumption(name: &str) -> String {
    format!("`{name}` is not defined: it is taken to return anything and to do nothing else")
}

/// The checks of the user's functions (passes have dropped those that can't be reached), and for leaks one for the program;
/// all, or those of one kind.
fn count_checks(program: &Program, task: &Task, kind: Option<CheckKind>) -> usize {
    let asked: BTreeSet<CheckKind> = task.kinds().filter(|k| kind.is_none_or(|kind| *k == kind)).collect();
    let users = |check: &&cairn_ir::Check| {
        asked.contains(&check.kind)
            && !is_of_the_end(check.kind)
            && program.functions.get(check.function.index()).is_some_and(|f| f.origin == Origin::User)
    };
    program.checks.iter().filter(users).count() + asked.iter().filter(|kind| is_of_the_end(**kind)).count()
}

/// How many different checks the findings violate.
fn violated_checks(findings: &[Violation]) -> usize {
    let keys: BTreeSet<_> = findings
        .iter()
        .map(|v| match v.fault.kind {
            kind if is_of_the_end(kind) => (kind, None, Vec::new()),
            kind => (kind, v.fault.check, place_key(&v.fault.stack[..v.fault.stack.len().min(1)])),
        })
        .collect();
    keys.len()
}

/// What tells one finding from another: the kind, the check, and the place in the user's code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    place: Vec<(u32, u32, u32, u32)>,
    kind: CheckKind,
    check: Option<CheckId>,
}

impl Key {
    /// The same for all faults of this kind in one call of a library function: it is the call that is wrong.
    fn seen_by_user(mut self) -> Self {
        if self.place.len() > 1 {
            self.place.truncate(1);
            self.check = None;
        }
        self
    }
}

fn place_key(stack: &[StackPlace]) -> Vec<(u32, u32, u32, u32)> {
    stack.iter().map(|p| (p.loc.file.0, p.loc.line, p.loc.column, p.function.0)).collect()
}

/// Faults are the same when they happen at the same place of the user's code, whoever called it; inside a library function the
/// way there from the user's code counts.
fn key_of(program: &Program, kind: CheckKind, check: Option<CheckId>, stack: &[StackPlace]) -> Key {
    let is_user = |p: &StackPlace| program.functions.get(p.function.index()).is_some_and(|f| f.origin == Origin::User);
    let end = stack.iter().position(is_user).map_or(stack.len(), |i| i + 1);
    let mut place = place_key(&stack[..end]);
    place.reverse();
    Key { place, kind, check }
}

/// What became of the candidates at a place.
#[derive(Default)]
struct PlaceState {
    replays: u32,
    confirmed: bool,
    /// Candidates whose runs violate something else first, after which nothing counts.
    shadowed: u32,
}

/// The explorer with replay behind every step; the search goes on.
struct Surveyor<'a, 'p> {
    explorer: &'a mut Explorer<'p>,
    program: &'p Program,
    task: &'a Task,
    cancel: &'a Arc<AtomicBool>,
    found: BTreeMap<Key, Violation>,
    places: BTreeMap<Key, PlaceState>,
    stopped: bool,
}

impl Surveyor<'_, '_> {
    fn judge(&mut self, candidate: Candidate) {
        let claim = key_of(self.program, candidate.kind, candidate.check, &candidate.stack);
        let place = self.places.entry(claim.clone()).or_default();
        // Past the limit a place stays as it is: violated, or a reason not to call the program proved.
        if place.replays >= REPLAYS_PER_PLACE || self.cancel.load(Ordering::Relaxed) {
            return;
        }
        // A run that uses an uninitialised value is told so, and not by what the value happened to be.
        let unset = self.task.besides.contains(&CheckKind::Uninitialised);
        let mut violations = Vec::new();
        if unset {
            violations = replay(self.program, self.task, &candidate.inputs, Unset::Faults);
            violations.retain(|violation| violation.fault.kind == CheckKind::Uninitialised);
        }
        if violations.is_empty() {
            violations = replay(self.program, self.task, &candidate.inputs, Unset::Leftovers);
        }
        let mut first = false;
        let mut confirmed = false;
        for violation in violations {
            let fault = &violation.fault;
            let key = key_of(self.program, fault.kind, fault.check, &fault.stack);
            confirmed |= confirms(&key, &claim);
            first |= goes_on(fault.kind);
            self.found.entry(key.seen_by_user()).or_insert(violation);
        }
        place.confirmed |= confirmed;
        // A path goes on behind some violations, so that candidates follow that no run can show; they say nothing about the
        // place, whose other candidates count.
        if first && !confirmed && place.shadowed < SHADOWED_PER_PLACE {
            place.shadowed += 1;
        } else {
            place.replays += 1;
        }
        self.stopped |= self.found.len() >= MAX_FINDINGS;
    }
}

/// Whether the fault of a replay is what the candidate claimed. What is left at the end is told where it was allocated, so its
/// place does not count; an object that is lost is also one that was not freed.
fn confirms(fault: &Key, claim: &Key) -> bool {
    match claim.kind {
        CheckKind::Leak => fault.kind == CheckKind::Leak,
        CheckKind::Unfreed => is_of_the_end(fault.kind),
        kind => {
            let same =
                fault.kind == kind || (Property::of(kind).is_some() && Property::of(fault.kind) == Property::of(kind));
            same && fault.place.first() == claim.place.first()
        }
    }
}

impl<'p> Domain for Surveyor<'_, 'p> {
    type State = <Explorer<'p> as Domain>::State;
    type Place = ();

    fn entry(&mut self) -> Vec<Self::State> {
        self.explorer.entry()
    }

    fn step(&mut self, state: Self::State, out: &mut Vec<Self::State>) {
        self.explorer.step(state, out);
        for candidate in std::mem::take(&mut self.explorer.candidates) {
            self.judge(candidate);
        }
    }

    fn depth(&self, state: &Self::State) -> u32 {
        self.explorer.depth(state)
    }

    fn turns(&self, state: &Self::State) -> u32 {
        self.explorer.turns(state)
    }

    fn done(&self) -> bool {
        self.stopped || self.explorer.done()
    }
}
