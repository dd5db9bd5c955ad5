//! From a program and a task to an answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_ir::program::Origin;
use cairn_ir::{CheckId, CheckKind, Program};

use crate::certificate::Certificate;
use crate::confirm::place_key;
use crate::engine::{Effort, Goal};
use crate::invariant::LoopInvariant;
use crate::limits::MAX_FINDINGS;
use crate::reason::Reason;
use crate::schedule::{Ended, Entry, run};
use crate::settings::Setup;
use crate::survey::{Counts, Survey};
use crate::task::Task;
use crate::verdict::{Verdict, Violation};

/// The answer for a whole program.
#[derive(Debug)]
pub struct Found {
    /// The verdict.
    pub verdict: Verdict,
    /// The work of the engines.
    pub effort: Effort,
    /// The invariants of the loops behind `TRUE`, if they were asked for.
    pub invariants: Vec<LoopInvariant>,
    /// The internal errors of the search, whatever the verdict is.
    pub failures: Vec<Reason>,
    /// The certificate behind `TRUE`, if the proof has one.
    pub certificate: Option<Arc<Certificate>>,
}

/// Answers a task as one question: stops at the first violation or proof.
///
/// # Errors
/// If the program has no entry function with a body, or the settings name something unknown.
pub fn verify(schedule: &[Entry], setup: &Setup<'_>) -> Result<Found, String> {
    debug_assert_eq!(setup.goal, Goal::FirstAnswer);
    check_entry(setup)?;
    let Ended { ledger, effort, .. } = run(schedule, setup)?;
    let verdict = match ledger.violations().next() {
        Some(violation) => Verdict::False(Box::new(violation.clone())),
        None if ledger.is_proved() => Verdict::True,
        None => Verdict::Unknown(telling(ledger.reasons())),
    };
    let failures = failures(&ledger.reasons());
    let certificate = ledger.certificate();
    Ok(Found { verdict, effort, invariants: ledger.invariants().to_vec(), failures, certificate })
}

/// Answers every check of a task.
///
/// # Errors
/// If the program has no entry function with a body, or the settings name something unknown.
pub fn survey(schedule: &[Entry], setup: &Setup<'_>) -> Result<(Survey, Effort), String> {
    debug_assert_eq!(setup.goal, Goal::EveryCheck);
    check_entry(setup)?;
    let ended = run(schedule, setup)?;
    Ok((summarise(&ended, setup), ended.effort))
}

/// Returns the survey of a search that has not begun.
pub fn undecided(setup: &Setup<'_>) -> Survey {
    let unknown = count_checks(setup.program, &setup.task, |_, _| true);
    let checks = Counts { unknown, ..Counts::default() };
    Survey { findings: Vec::new(), checks, reasons: Vec::new(), failures: Vec::new(), certificate: None }
}

/// Returns the answers for all checks that follow from the findings of a search.
pub(crate) fn summarise(ended: &Ended<'_>, setup: &Setup<'_>) -> Survey {
    let Ended { ledger, assumed_harmless, .. } = ended;
    let (program, task) = (setup.program, &setup.task);
    let open = ledger.open_alarms();
    let (is_proved, is_full, granted) = (ledger.is_proved(), ledger.is_full(), ledger.granted());
    let findings: Vec<Violation> = ledger.violations().cloned().collect();
    let given_up = ledger.reasons();
    let failures = failures(&given_up);

    let total = count_checks(program, task, |_, _| true);
    let violated = violated_checks(&findings, task).min(total);
    let rest = total - violated;
    // A proof of a single check rests on no other engine.
    let is_single = |check: Option<CheckId>| check.is_some_and(|check| ledger.is_single(check));
    let singles = count_checks(program, task, |_, check| is_single(check));

    let mut reasons: Vec<Reason> = Vec::new();
    let mut unknown = 0;
    if !is_proved {
        unknown = match &open {
            Some(open) => open.len(),
            None => rest
                .saturating_sub(count_checks(program, task, |kind, check| granted.contains(&kind) || is_single(check))),
        };
        reasons.extend(open.iter().flat_map(|open| open.keys().copied().map(Reason::Alarm)));
        if is_full {
            reasons.push(Reason::TooManyFindings(MAX_FINDINGS));
        }
        reasons.extend(telling(given_up).into_iter().filter(|reason| !matches!(reason, Reason::Alarm(_))));
    }
    if !assumed_harmless.is_empty() {
        unknown = rest.saturating_sub(singles);
        reasons.extend(assumed_harmless.iter().cloned().map(Reason::UndefinedFunction));
    }
    let unknown = unknown.min(rest);
    let checks = Counts { proved: rest - unknown, violated, unknown };
    Survey { findings, checks, reasons, failures, certificate: ledger.certificate() }
}

/// Returns the internal errors among the reasons.
fn failures(reasons: &[(&'static str, Reason)]) -> Vec<Reason> {
    let is_failure = |reason: &&Reason| matches!(reason, Reason::InternalError(..));
    reasons.iter().map(|(_, reason)| reason).filter(is_failure).cloned().collect()
}

fn check_entry(setup: &Setup<'_>) -> Result<(), String> {
    let program = setup.program;
    let entry = program.function_named(&setup.task.entry);
    if entry.is_none_or(|function| program.functions[function.index()].body.is_none()) {
        return Err(format!("the program has no function `{}`", setup.task.entry));
    }
    Ok(())
}

/// Returns the reasons that tell a user something, the most telling first.
fn telling(reasons: Vec<(&'static str, Reason)>) -> Vec<Reason> {
    let rank = |reason: &Reason| match reason {
        Reason::InternalError(..) | Reason::Unconfirmed(_) => 0,
        Reason::OutOfTime | Reason::OutOfMemory | Reason::OutOfBudget | Reason::Interrupted => 1,
        Reason::TooManyStates => 2,
        Reason::Template(..) => 4,
        Reason::TemplatesExhausted | Reason::NoAttemptFails => 5,
        _ => 3,
    };
    let mut reasons: Vec<Reason> = reasons.into_iter().map(|(_, reason)| reason).collect();
    reasons.sort_by_key(rank);
    if reasons.iter().any(|reason| rank(reason) < 5) {
        reasons.retain(|reason| rank(reason) < 5);
    }
    reasons
}

/// Counts the checks in the user's functions; for checks of the program's end one for the program.
fn count_checks(program: &Program, task: &Task, counts: impl Fn(CheckKind, Option<CheckId>) -> bool) -> usize {
    let asked: BTreeSet<CheckKind> = task.kinds().collect();
    let is_counted = |(index, check): &(usize, &cairn_ir::Check)| {
        asked.contains(&check.kind)
            && !check.kind.is_of_the_end()
            && program.functions.get(check.function.index()).is_some_and(|f| f.origin == Origin::User)
            && counts(check.kind, Some(CheckId::new(*index)))
    };
    let of_the_end = asked.iter().filter(|kind| kind.is_of_the_end() && counts(**kind, None));
    program.checks.iter().enumerate().filter(is_counted).count() + of_the_end.count()
}

/// Counts the different checks that the findings violate. An object that is lost is not freed either.
fn violated_checks(findings: &[Violation], task: &Task) -> usize {
    let mut keys: BTreeSet<_> = findings
        .iter()
        .map(|v| match v.fault.kind {
            kind if kind.is_of_the_end() => (kind, None, Vec::new()),
            kind => (kind, v.fault.check, place_key(&v.fault.stack[..v.fault.stack.len().min(1)])),
        })
        .collect();
    if findings.iter().any(|v| v.fault.kind == CheckKind::Leak) && task.kinds().any(|k| k == CheckKind::Unfreed) {
        keys.insert((CheckKind::Unfreed, None, Vec::new()));
    }
    keys.len()
}
