//! Exploring that goes on after a violation: every candidate is replayed, and each place is told once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, Program};

use crate::engines::shape::alarm::{Alarm, Site};
use crate::engines::shape::guide::Guide;
use crate::engines::shape::{Candidate, Explorer, Input};
use crate::granted::is_of_the_end;
use crate::portfolio::Task;
use crate::reach::Domain;
use crate::replay::{Unset, replay};
use crate::verdict::{Property, Violation};

/// Findings after which the search is given up: nobody reads more of them before mending some.
pub(super) const MAX_FINDINGS: usize = 100;

/// Candidates at one place that are replayed. One is enough to show what is wrong there; more are tried because a leak has a
/// second place, where the object was allocated, and because one that does not replay says nothing about the next.
const REPLAYS_PER_PLACE: u32 = 4;

/// Candidates at one place whose runs violate something else first. They are cheap, but not for nothing.
const SHADOWED_PER_PLACE: u32 = 256;

/// Whether the exploration goes on behind a violation of this kind.
const fn goes_on(kind: CheckKind) -> bool {
    matches!(kind, CheckKind::Uninitialised | CheckKind::Overlap)
}

/// What tells one finding from another: the kind, the check, and the place in the user's code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
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

pub(super) fn place_key(stack: &[StackPlace]) -> Vec<(u32, u32, u32, u32)> {
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
pub(super) struct Surveyor<'a, 'p> {
    explorer: &'a mut Explorer<'p>,
    program: &'p Program,
    task: &'a Task,
    cancel: &'a Arc<AtomicBool>,
    found: BTreeMap<Key, Violation>,
    places: BTreeMap<Key, PlaceState>,
    /// What a proof has left open and no violation was found of; nothing before there is a proof.
    open: Option<BTreeSet<Alarm>>,
}

/// What was found, what is left open of what a proof has left, and the kinds of candidates that did not replay.
pub(super) type Results = (BTreeMap<Key, Violation>, Option<BTreeSet<Alarm>>, BTreeSet<CheckKind>);

impl<'a, 'p> Surveyor<'a, 'p> {
    pub(super) fn new(
        explorer: &'a mut Explorer<'p>,
        program: &'p Program,
        task: &'a Task,
        cancel: &'a Arc<AtomicBool>,
    ) -> Self {
        Self { explorer, program, task, cancel, found: BTreeMap::new(), places: BTreeMap::new(), open: None }
    }

    /// From now on only what a proof has left open is of interest, and all else is shown; `only` these are looked for then.
    pub(super) fn look_for(&mut self, alarms: &BTreeMap<Alarm, Site>, only: bool) {
        let mut open: BTreeSet<Alarm> = alarms.keys().copied().collect();
        open.retain(|alarm| !self.found.values().any(|violation| is_of(violation, alarm)));
        let wanted = alarms.iter().filter(|(alarm, _)| open.contains(alarm));
        if only {
            self.explorer.follow(Guide::new(self.program, wanted));
        }
        self.open = Some(open);
    }

    /// The kinds of what is open.
    pub(super) fn open_kinds(&self) -> impl Iterator<Item = CheckKind> {
        let kinds: BTreeSet<CheckKind> = self.open.iter().flatten().map(|alarm| alarm.kind).collect();
        kinds.into_iter()
    }

    /// Takes in that checks of some kinds are proved.
    pub(super) fn settle(&mut self, is_proved: impl Fn(CheckKind) -> bool) {
        self.open.iter_mut().for_each(|open| open.retain(|alarm| !is_proved(alarm.kind)));
    }

    /// Tries inputs of another engine.
    pub(super) fn run(&mut self, inputs: &[Input]) {
        for violation in replay(self.program, self.task, inputs, Unset::Leftovers) {
            self.keep(violation);
        }
    }

    pub(super) fn into_results(self) -> Results {
        let unconfirmed = self.places.iter().filter(|(_, place)| place.replays > 0 && !place.confirmed);
        // Reading an uninitialised value is only a reason to look.
        let unconfirmed =
            unconfirmed.map(|(key, _)| key.kind).filter(|kind| *kind != CheckKind::Uninitialised).collect();
        (self.found, self.open, unconfirmed)
    }

    fn keep(&mut self, violation: Violation) {
        let fault = &violation.fault;
        let key = key_of(self.program, fault.kind, fault.check, &fault.stack);
        self.open.iter_mut().for_each(|open| open.retain(|alarm| !is_of(&violation, alarm)));
        self.found.entry(key.seen_by_user()).or_insert(violation);
    }

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
            self.keep(violation);
        }
        let place = self.places.entry(claim).or_default();
        place.confirmed |= confirmed;
        // A path goes on behind some violations, so that candidates follow that no run can show; they say nothing about the
        // place, whose other candidates count.
        if first && !confirmed && place.shadowed < SHADOWED_PER_PLACE {
            place.shadowed += 1;
        } else {
            place.replays += 1;
        }
    }
}

/// Whether a violation is what an alarm warned of.
fn is_of(violation: &Violation, alarm: &Alarm) -> bool {
    let fault = &violation.fault;
    match alarm.kind {
        CheckKind::Unfreed => is_of_the_end(fault.kind),
        kind => fault.kind == kind && (fault.check == alarm.check || is_of_the_end(kind)),
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
        let nothing_left = self.open.as_ref().is_some_and(BTreeSet::is_empty);
        nothing_left || self.found.len() >= MAX_FINDINGS || self.explorer.done()
    }
}
