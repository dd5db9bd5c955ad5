//! Confirmation: a candidate becomes a violation only if the interpreter replays it.

pub mod replay;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, Program};

use crate::alarm::Alarm;
use crate::candidate::Candidate;
use crate::confirm::replay::{Unset, replay, trace};
use crate::containment::contained;
use crate::engine::Goal;
use crate::limits::{REPLAYS_PER_PLACE, SHADOWED_PER_PLACE};
use crate::task::Task;
use crate::verdict::{Property, Violation};

/// Replays candidates and keeps the violations.
#[derive(Clone, Debug)]
pub(crate) struct Confirmer<'p> {
    program: &'p Program,
    task: Task,
    goal: Goal,
    found: BTreeMap<Key, Violation>,
    places: BTreeMap<(&'static str, Key), PlaceState>,
    /// The messages of replays that panicked.
    pub(crate) failures: Vec<String>,
}

/// The identity of a finding: the kind, the check, and the location in the user's code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    place: Vec<(u32, u32, u32, u32)>,
    kind: CheckKind,
    check: Option<CheckId>,
}

impl Key {
    /// Returns the key of a fault or candidate.
    ///
    /// Two faults are the same if they are at the same location of the user's code, whoever called it. Inside a library function the
    /// calls from the user's code to the fault count, too.
    fn of(program: &Program, kind: CheckKind, check: Option<CheckId>, stack: &[StackPlace]) -> Self {
        let is_user = |p: &StackPlace| program.functions.get(p.function.index()).is_some_and(|f| f.origin.is_of_user());
        let end = stack.iter().position(is_user).map_or(stack.len(), |i| i + 1);
        let mut place = place_key(&stack[..end]);
        place.reverse();
        Self { place, kind, check }
    }

    /// Returns one key for all faults of this kind in one call of a library function, because the call is what is wrong.
    fn seen_by_user(mut self) -> Self {
        if self.place.len() > 1 {
            self.place.truncate(1);
            self.check = None;
        }
        self
    }

    /// Whether the fault of a replay with this key is the one that a candidate claims.
    ///
    /// Memory that is left at the end is reported where it was allocated, so its location does not count; an object that is lost is also
    /// one that was not freed.
    fn confirms(&self, claim: &Key) -> bool {
        match claim.kind {
            CheckKind::Leak | CheckKind::FileLeak => self.kind == claim.kind,
            CheckKind::Unfreed => matches!(self.kind, CheckKind::Leak | CheckKind::Unfreed),
            kind => {
                let same = self.kind == kind
                    || (Property::of(kind).is_some() && Property::of(self.kind) == Property::of(kind));
                same && self.place.first() == claim.place.first()
            }
        }
    }
}

/// Returns the locations of a stack in a form that can be compared.
pub(crate) fn place_key(stack: &[StackPlace]) -> Vec<(u32, u32, u32, u32)> {
    stack.iter().map(|p| (p.loc.file.0, p.loc.line, p.loc.column, p.function.0)).collect()
}

/// The replays of the candidates at one location.
#[derive(Clone, Debug, Default)]
struct PlaceState {
    replays: u32,
    confirmed: bool,
    /// Candidates whose executions violate another check first.
    shadowed: u32,
}

/// Whether a violation is the one that an alarm warned of.
pub(crate) fn is_of(violation: &Violation, alarm: &Alarm) -> bool {
    let fault = &violation.fault;
    match alarm.kind {
        CheckKind::Unfreed => matches!(fault.kind, CheckKind::Leak | CheckKind::Unfreed),
        kind => fault.kind == kind && (fault.check == alarm.check || kind.is_of_the_end()),
    }
}

/// Returns the violation with its trace.
fn with_trace(program: &Program, task: &Task, violation: &Violation) -> Violation {
    let mut traced = violation.clone();
    trace(program, task, &mut traced);
    traced
}

impl<'p> Confirmer<'p> {
    pub(crate) fn new(program: &'p Program, task: Task, goal: Goal) -> Self {
        Self { program, task, goal, found: BTreeMap::new(), places: BTreeMap::new(), failures: Vec::new() }
    }

    /// Returns the violations that were found so far with their traces, in the order of their locations.
    pub(crate) fn found(&self) -> impl ExactSizeIterator<Item = &Violation> {
        self.found.values()
    }

    /// Returns the kinds of the candidates that did not replay, by engine.
    pub(crate) fn unconfirmed(&self) -> BTreeMap<&'static str, BTreeSet<CheckKind>> {
        let mut kinds: BTreeMap<&'static str, BTreeSet<CheckKind>> = BTreeMap::new();
        for ((engine, key), place) in &self.places {
            // Reading an uninitialised value is only a reason to look.
            if place.replays > 0 && !place.confirmed && key.kind != CheckKind::Uninitialised {
                kinds.entry(engine).or_default().insert(key.kind);
            }
        }
        kinds
    }

    /// Replays a candidate of an engine and keeps the violations that the replay shows.
    pub(crate) fn judge(&mut self, engine: &'static str, candidate: &Candidate) {
        let claim = Key::of(self.program, candidate.kind, candidate.check, &candidate.stack);
        let place = self.places.entry((engine, claim.clone())).or_default();
        // Beyond the limit a location keeps its state: violated, or a reason not to call the program proved.
        if self.goal == Goal::EveryCheck && place.replays >= REPLAYS_PER_PLACE {
            return;
        }
        let mut is_shadowed = false;
        let mut confirmed = false;
        let most = if self.goal == Goal::FirstAnswer { 1 } else { usize::MAX };
        // A replay that panics shows nothing: the candidate counts as one that did not replay.
        let violations = contained(|| self.violations(candidate)).unwrap_or_else(|message| {
            self.failures.push(message);
            Vec::new()
        });
        for violation in violations.into_iter().take(most) {
            let fault = &violation.fault;
            let key = Key::of(self.program, fault.kind, fault.check, &fault.stack);
            confirmed |= key.confirms(&claim);
            is_shadowed |= fault.kind.goes_on();
            if let Entry::Vacant(entry) = self.found.entry(key.seen_by_user()) {
                let violation = entry.insert(violation);
                let traced = contained(|| with_trace(self.program, &self.task, violation));
                match traced {
                    Ok(traced) => *violation = traced,
                    Err(message) => self.failures.push(message),
                }
            }
        }
        let place = self.places.entry((engine, claim)).or_default();
        place.confirmed |= confirmed;
        // A path goes on after some violations, so that candidates follow which no execution can show. They say nothing about the
        // location, whose other candidates count.
        if is_shadowed && !confirmed && place.shadowed < SHADOWED_PER_PLACE {
            place.shadowed += 1;
        } else {
            place.replays += 1;
        }
    }

    /// Runs the program with the inputs of a candidate and returns the violations. An execution that uses an uninitialised value is
    /// reported for that, and not for the consequences of the value that happened to be there.
    fn violations(&self, candidate: &Candidate) -> Vec<Violation> {
        if self.task.besides.contains(&CheckKind::Uninitialised) {
            let mut violations = replay(self.program, &self.task, &candidate.inputs, Unset::Faults);
            violations.retain(|violation| violation.fault.kind == CheckKind::Uninitialised);
            if !violations.is_empty() {
                return violations;
            }
        }
        replay(self.program, &self.task, &candidate.inputs, Unset::Leftovers)
    }
}
