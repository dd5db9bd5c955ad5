//! Every property at once: the search goes on after a violation, and says of each check whether it is violated, proved or
//! neither, and why.

mod surveyor;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_ir::program::Origin;
use cairn_ir::{CheckKind, Program};
use cairn_smt::Session;

use self::surveyor::{MAX_FINDINGS, Surveyor, place_key};
use crate::calls::Calls;
use crate::engines::shape::alarm::{Alarm, Site};
use crate::engines::shape::prove::Prover;
use crate::engines::shape::{Explorer, Options};
use crate::engines::template::{Outcome, Templates};
use crate::granted::is_of_the_end;
use crate::portfolio::{CANCELLED, Effort, Engines, MAX_WAITING, Search, Task};
use crate::reach::{Budget, Ended, Order, Reach, reach};
use crate::replay::trace;
use crate::verdict::{Property, Violation};

/// States that are explored before a proof is tried.
const STATES_BEFORE_PROOF: u64 = 20_000;

/// States of a proof.
const STATES_OF_PROOF: u64 = 50_000;

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
    let mut effort = Effort::default();
    let budget = |states| Budget { states, waiting: MAX_WAITING, cancel: cancel.clone() };
    let mut surveyor = Surveyor::new(&mut explorer, program, task, cancel);
    let mut run = Reach::new(&mut surveyor, search.order);
    let proves = search.engines == Engines::All;
    let mut ended = run.run(&mut surveyor, &budget(if proves { STATES_BEFORE_PROOF } else { u64::MAX }));
    let mut proof = None;
    if proves && ended == Ended::OutOfBudget {
        proof = Proof::of(program, task, search.calls, &budget(STATES_OF_PROOF), &mut effort)?;
        let mut templates = None;
        if let Some(proof) = &proof {
            surveyor.look_for(&proof.open, !proof.reads_uninitialised);
            let kinds: Vec<CheckKind> = surveyor.open_kinds().filter(|&kind| is_for_templates(kind)).collect();
            if !kinds.is_empty() {
                let asked = task.by_templates(search.calls, kinds);
                templates = Some(Templates::new(program, asked, Session::new(cancel.clone()), &search.templates)?);
            }
        }
        // What exploring and proving leave open is for templates: a stage after every turn.
        let mut turn = STATES_BEFORE_PROOF;
        loop {
            ended = run.run(&mut surveyor, &budget(if templates.is_some() { turn } else { u64::MAX }));
            let stops = ended != Ended::OutOfBudget || cancel.load(Ordering::Relaxed);
            let Some(engine) = templates.as_mut().filter(|_| !stops) else { break };
            engine.set_effort(turn);
            match engine.turn()? {
                Outcome::Proved(_) => {
                    surveyor.settle(is_for_templates);
                    templates = None;
                }
                Outcome::Candidate(_, inputs) => surveyor.run(&inputs),
                Outcome::Open(_) if engine.is_done() => templates = None,
                Outcome::Open(_) => {}
            }
            turn = turn.saturating_mul(2);
        }
    }
    let (found, open, unconfirmed) = surveyor.into_results();
    effort.add_exploring(&explorer);

    let mut findings: Vec<Violation> = found.into_values().collect();
    for violation in &mut findings {
        trace(program, task, violation);
    }
    let mut total = count_checks(program, task, None);
    let violated = violated_checks(&findings, task).min(total);
    let unset = proof.as_ref().is_some_and(|proof| proof.reads_uninitialised) || explorer.reads_uninitialised();
    let unset = unset && task.besides.contains(&CheckKind::Uninitialised);
    let uses = count_checks(program, task, Some(CheckKind::Uninitialised));
    if unset && uses == 0 {
        // What uses it is a function of the library.
        total += 1;
    }
    let rest = total - violated;

    let mut reasons = Vec::new();
    let mut unknown = 0;
    // What a proof has left open, or all where there is none, is decided when exploring has come to its end.
    let decided = ended == Ended::Complete && explorer.gaps.is_empty() && unconfirmed.is_empty();
    if !decided && open.as_ref().is_none_or(|open| !open.is_empty()) {
        unknown = open.as_ref().map_or(rest, BTreeSet::len);
        reasons.extend(open.iter().flatten().map(Alarm::to_string));
        match ended {
            Ended::Complete => {}
            Ended::Done => reasons.push(format!("the search was given up after {MAX_FINDINGS} findings")),
            Ended::OutOfBudget if cancel.load(Ordering::Relaxed) => reasons.push(CANCELLED.to_owned()),
            Ended::OutOfBudget => reasons.push("too many states".to_owned()),
        }
        reasons.extend(explorer.gaps.iter().cloned());
        reasons.extend(unconfirmed.iter().map(|kind| format!("a candidate for {kind} did not replay")));
    }
    let assumed = explorer.assumed_harmless.iter().chain(proof.iter().flat_map(|proof| &proof.assumed_harmless));
    let assumed: BTreeSet<&String> = assumed.collect();
    if !assumed.is_empty() {
        unknown = rest;
        reasons.extend(assumed.into_iter().map(|name| assumption(name)));
    }
    if unset && unknown < rest {
        // Uses of uninitialised values are looked for in one run of each path, and shown to be none only where none is read.
        let found = findings.iter().filter(|v| v.fault.kind == CheckKind::Uninitialised).count();
        reasons.push("an uninitialised value is read, and not everything that it may decide is followed".to_owned());
        unknown += uses.max(1).saturating_sub(found).max(1);
    }
    let unknown = unknown.min(rest);
    let checks = Counts { proved: rest - unknown, violated, unknown };
    Ok((Survey { findings, checks, reasons }, effort))
}

/// Whether templates are asked about a kind: they say nothing about what is left allocated, nor about what is no property.
fn is_for_templates(kind: CheckKind) -> bool {
    Property::of(kind).is_some() && !is_of_the_end(kind)
}

/// A proof that came to its end: every check holds, up to the first violation of a run, but for some.
struct Proof {
    /// The checks that may fail.
    open: BTreeMap<Alarm, Site>,
    /// Functions without a body that it takes to return anything and to do nothing else.
    assumed_harmless: BTreeSet<String>,
    /// Whether a value was read that nothing was written to: what it decides is not followed in a proof.
    reads_uninitialised: bool,
}

impl Proof {
    /// Tries to prove what can be proved within a budget; nothing, where the proof does not come to its end.
    fn of(
        program: &Program,
        task: &Task,
        calls: Calls,
        budget: &Budget,
        effort: &mut Effort,
    ) -> Result<Option<Self>, String> {
        let mut attempt = |follows| {
            let mut prover = Prover::new(program, task.exploring(), Session::new(budget.cancel.clone()))?;
            (prover.calls, prover.follows, prover.goes_on) = (calls, follows, true);
            let ended = reach(&mut prover, Order::Ranked, budget);
            effort.add_proof(&prover);
            let again = !follows && ended != Ended::OutOfBudget && prover.trouble().is_some() && prover.may_follow();
            let complete = ended == Ended::Complete && prover.explorer.gaps.is_empty();
            let reads_uninitialised = prover.explorer.reads_uninitialised();
            let open = prover.alarms().found.clone();
            let assumed_harmless = prover.explorer.assumed_harmless;
            Ok::<_, String>((complete.then_some(Self { open, assumed_harmless, reads_uninitialised }), again))
        };
        let (proof, again) = attempt(false)?;
        // What a call loses that is analysed apart from its callers may be there where it is followed.
        let other = if again { attempt(true)?.0 } else { None };
        Ok([other, proof].into_iter().flatten().min_by_key(|proof| proof.open.len()))
    }
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

/// How many different checks the findings violate. What is lost is not freed either.
fn violated_checks(findings: &[Violation], task: &Task) -> usize {
    let mut keys: BTreeSet<_> = findings
        .iter()
        .map(|v| match v.fault.kind {
            kind if is_of_the_end(kind) => (kind, None, Vec::new()),
            kind => (kind, v.fault.check, place_key(&v.fault.stack[..v.fault.stack.len().min(1)])),
        })
        .collect();
    if findings.iter().any(|v| v.fault.kind == CheckKind::Leak) && task.kinds().any(|k| k == CheckKind::Unfreed) {
        keys.insert((CheckKind::Unfreed, None, Vec::new()));
    }
    keys.len()
}
