//! From a program and a task to an answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_ir::{CheckId, CheckKind};

use crate::alarm::Alarm;
use crate::assumption;
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
    let answers = Answers::of(setup, |_, _| Answer::Unknown);
    answers.into_survey()
}

/// Returns the answers for all checks that follow from the findings of a search.
pub(crate) fn summarise(ended: &Ended<'_>, setup: &Setup<'_>) -> Survey {
    let Ended { ledger, assumed_harmless, .. } = ended;
    let (program, task) = (setup.program, &setup.task);
    let open = ledger.open_alarms();
    let findings: Vec<Violation> = ledger.violations().cloned().collect();
    let given_up = ledger.reasons();
    let violated: BTreeSet<CheckId> = findings.iter().filter_map(|violation| violation.fault.check).collect();
    let after =
        if assumed_harmless.is_empty() { BTreeSet::new() } else { assumption::checks_after(program, assumed_harmless) };
    let mut assumed: BTreeSet<&String> = BTreeSet::new();

    // A proof of a single check rests on no other engine.
    let is_single = |check: Option<CheckId>| check.is_some_and(|check| ledger.is_single(check));
    let is_open = |kind: CheckKind, check: Option<CheckId>| match &open {
        _ if ledger.is_proved() => false,
        Some(open) => open.keys().any(|alarm| alarm.kind == kind && alarm.check == check),
        None => !ledger.granted().contains(&kind),
    };
    let mut answers = Answers::of(setup, |kind, check| match check {
        Some(check) if violated.contains(&check) => Answer::Violated,
        _ if is_single(check) => match check.and_then(|check| ledger.assumptions_of(check)) {
            None => Answer::Proved,
            Some(functions) => {
                assumed.extend(functions);
                Answer::Assuming
            }
        },
        _ if is_open(kind, check) => Answer::Unknown,
        _ if check.map_or(!assumed_harmless.is_empty(), |check| after.contains(&check)) => {
            assumed.extend(assumed_harmless);
            Answer::Assuming
        }
        _ => Answer::Proved,
    });
    answers.assumptions = assumed.into_iter().map(|function| assumption::about(function)).collect();
    answers.count_violations(violated_checks(&findings, task));
    // An alarm in a library model stands for one more unknown check.
    let is_counted = |alarm: &&Alarm| answers.answers.iter().any(|&(check, _)| check == alarm.check);
    answers.alarms_elsewhere = match &open {
        _ if ledger.is_proved() => 0,
        Some(open) => open.keys().filter(|alarm| !is_counted(alarm)).count(),
        None => ledger.alarms_elsewhere(),
    };
    let mut survey = answers.into_survey();
    if !ledger.is_proved() {
        survey.reasons.extend(open.iter().flat_map(|open| open.keys().copied().map(Reason::Alarm)));
        if ledger.is_full() {
            survey.reasons.push(Reason::TooManyFindings(MAX_FINDINGS));
        }
        survey.failures = failures(&given_up);
        survey.reasons.extend(telling(given_up).into_iter().filter(|reason| !matches!(reason, Reason::Alarm(_))));
    } else {
        survey.failures = failures(&given_up);
    }
    survey.findings = findings;
    survey.certificate = ledger.certificate();
    survey
}

/// The answer for one check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Proved,
    /// Proved under an assumption.
    Assuming,
    Violated,
    Unknown,
}

/// The answers for the checks in the user's functions, and for one check of each kind about the program's end.
struct Answers {
    answers: Vec<(Option<CheckId>, Answer)>,
    /// The kinds of the checks about the program's end, which are the last answers.
    at_end: Vec<CheckKind>,
    violated: usize,
    /// The open alarms about checks in library models.
    alarms_elsewhere: usize,
    assumptions: Vec<String>,
}

impl Answers {
    fn of(setup: &Setup<'_>, mut answer: impl FnMut(CheckKind, Option<CheckId>) -> Answer) -> Self {
        let program = setup.program;
        let asked: BTreeSet<CheckKind> = setup.task.kinds().collect();
        let mut answers = Vec::new();
        for (index, check) in program.checks.iter().enumerate() {
            let is_user = program.functions.get(check.function.index()).is_some_and(|f| f.origin.is_of_user());
            if asked.contains(&check.kind) && !check.kind.is_of_the_end() && is_user {
                let id = Some(CheckId::new(index));
                answers.push((id, answer(check.kind, id)));
            }
        }
        let at_end: Vec<CheckKind> = asked.iter().copied().filter(|kind| kind.is_of_the_end()).collect();
        answers.extend(at_end.iter().map(|&kind| (None, answer(kind, None))));
        Self { answers, at_end, violated: 0, alarms_elsewhere: 0, assumptions: Vec::new() }
    }

    /// Takes the number of violated checks from the findings, which may belong to checks in library models.
    fn count_violations(&mut self, violated: usize) {
        self.violated = violated.min(self.answers.len());
    }

    fn into_survey(self) -> Survey {
        let count = |wanted: Answer| self.answers.iter().filter(|(_, answer)| *answer == wanted).count();
        let rest = self.answers.len() - self.violated;
        let unknown = (count(Answer::Unknown) + self.alarms_elsewhere).min(rest);
        let proved = rest - unknown;
        let assuming = count(Answer::Assuming).min(proved);
        let is_unknown = |&(check, answer): &(Option<CheckId>, Answer)| check.filter(|_| answer == Answer::Unknown);
        let is_proved = |&(check, answer): &(Option<CheckId>, Answer)| check.filter(|_| answer == Answer::Proved);
        let ends = self.at_end.iter().zip(&self.answers[self.answers.len() - self.at_end.len()..]);
        Survey {
            proved: self.answers.iter().filter_map(is_proved).collect(),
            proved_at_end: ends.filter(|(_, (_, answer))| *answer == Answer::Proved).map(|(kind, _)| *kind).collect(),
            checks: Counts { proved, assuming, violated: self.violated, unknown },
            unknown: self.answers.iter().filter_map(is_unknown).collect(),
            assumptions: self.assumptions,
            ..Survey::default()
        }
    }
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
        Reason::TemplatesExhausted | Reason::NoAttemptFails | Reason::DependsOnInputs | Reason::CoarseValues => 5,
        _ => 3,
    };
    let mut reasons: Vec<Reason> = reasons.into_iter().map(|(_, reason)| reason).collect();
    reasons.sort_by_key(rank);
    if reasons.iter().any(|reason| rank(reason) < 5) {
        reasons.retain(|reason| rank(reason) < 5);
    }
    reasons
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
