//! Attacks on the engines: generated heap programs and their mutants, with the laws that every answer must keep.
//!
//! - [`structures`] generates programs from [`lists`] and other [`shapes`], and [`mutations`] makes mistakes in them.
//! - [`oracle`] finds violations by executing all small inputs.
//! - This file holds answers against the oracle.

mod lists;
pub mod mutations;
pub mod oracle;
mod random;
mod shapes;
pub mod structures;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn::certificate::certifier;
use cairn::schedule::SCHEDULE;
use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;
use cairn_ir::{CheckKind, Program};
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::{survey, verify};
use cairn_portfolio::{Reason, Task};
use cairn_smt::Session;

use oracle::{Rules, Shown, violations};

/// An answer to one question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Answer {
    True,
    False,
    Unknown,
}

/// A question to one choice of engines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Question {
    MemorySafety,
    Cleanup,
    ErrorFunction,
    /// The result of every check, as in `cairn check`.
    EveryCheck,
}

/// The results for one program.
pub struct Attack {
    /// The answers by engine and question.
    pub answers: Vec<(&'static str, Question, Answer)>,
    /// Whether small executions violate memory safety or call the error function.
    pub is_faulty: bool,
    /// The laws that an answer broke.
    pub broken: Vec<String>,
    /// The numbers of proofs that the checker has accepted and rejected.
    pub certified: (u64, u64),
}

/// Limits of an attack.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The work limit of each search, in states.
    pub states: u64,
    /// Whether each engine answers alone as well.
    pub each_alone: bool,
}

const SAFETY: [Property; 3] = [Property::ValidFree, Property::ValidDeref, Property::ValidMemtrack];

impl Question {
    const VERDICTS: [Self; 3] = [Self::MemorySafety, Self::Cleanup, Self::ErrorFunction];

    fn properties(self) -> Vec<Property> {
        match self {
            Self::MemorySafety => SAFETY.to_vec(),
            Self::Cleanup => vec![Property::ValidMemcleanup],
            Self::ErrorFunction => vec![Property::UnreachCall],
            Self::EveryCheck => SAFETY.into_iter().chain([Property::ValidMemcleanup, Property::UnreachCall]).collect(),
        }
    }

    /// Returns whether a violation concerns the question.
    fn concerns(self, kind: CheckKind) -> bool {
        let properties = self.properties();
        // A lost object is not freed either.
        let unfreed = kind == CheckKind::Leak && properties.contains(&Property::ValidMemcleanup);
        unfreed || Property::of(kind).is_some_and(|property| properties.contains(&property))
    }
}

/// Attacks all engines with a program. The checker of certificates takes part where all engines work together.
pub fn attack(body: &str, seed: u64, effort: Effort, cancel: &dyn Fn() -> Arc<AtomicBool>) -> Result<Attack, String> {
    let target = if seed.is_multiple_of(2) { Target::Lp64 } else { Target::Ilp32 };
    let text = format!("{}{body}", structures::PRELUDE);
    let compilation = compile(vec![Input { name: "generated.c".to_owned(), text }], target);
    let Some(program) = compilation.program else {
        return Err(format!("does not compile: {:?}", compilation.diagnostics.first()));
    };
    let mut attack = Attack { answers: Vec::new(), is_faulty: false, broken: Vec::new(), certified: (0, 0) };
    let truth = |error_faults: bool| violations(&program, Rules { uninitialised_faults: false, error_faults }, seed);
    let (memory, errors) = (truth(false), truth(true));
    attack.is_faulty = memory.keys().any(|shown| Question::MemorySafety.concerns(shown.kind))
        || errors.keys().any(|shown| Question::ErrorFunction.concerns(shown.kind));
    let engines = if effort.each_alone { &Engines::ALL[..] } else { &[Engines::All, Engines::Prove][..] };
    for &engines in engines {
        for question in Question::VERDICTS {
            if question == Question::ErrorFunction && !body.contains("reach_error();") {
                continue;
            }
            let shown = if question == Question::ErrorFunction { &errors } else { &memory };
            let shown: Vec<&Shown> = shown.keys().filter(|shown| question.concerns(shown.kind)).collect();
            let answer = ask(&program, question, engines, effort.states, cancel(), &mut attack.certified)?;
            if answer == Answer::True && !shown.is_empty() {
                attack.broken.push(format!("{} answers TRUE to {question:?}, but {:?}", engines.name(), shown[0]));
            }
            attack.answers.push((engines.name(), question, answer));
        }
    }
    let answer = every_check(&program, effort.states, seed, cancel(), &mut attack)?;
    attack.answers.push(("all", Question::EveryCheck, answer));
    Ok(attack)
}

fn setup<'p>(
    program: &'p Program,
    question: Question,
    engines: Engines,
    states: u64,
    cancel: Arc<AtomicBool>,
) -> Setup<'p> {
    let goal = if question == Question::EveryCheck { Goal::EveryCheck } else { Goal::FirstAnswer };
    let task = Task {
        entry: "main".to_owned(),
        properties: question.properties(),
        besides: if question == Question::EveryCheck { vec![CheckKind::Uninitialised] } else { Vec::new() },
        malloc_fails: false,
        assert_faults: question == Question::EveryCheck,
    };
    let certifier = (engines == Engines::All).then(|| certifier(cancel.clone()));
    let settings = Settings { engines, last_round: Some(states), certifier, ..Settings::default() };
    let session = Session::new(cancel.clone());
    Setup::new(program, task, goal, settings, cancel, session)
}

fn ask(
    program: &Program,
    question: Question,
    engines: Engines,
    states: u64,
    cancel: Arc<AtomicBool>,
    certified: &mut (u64, u64),
) -> Result<Answer, String> {
    let found = verify(SCHEDULE, &setup(program, question, engines, states, cancel))?;
    *certified = (certified.0 + found.effort.certified, certified.1 + found.effort.rejected);
    Ok(match found.verdict {
        Verdict::True => Answer::True,
        Verdict::False(_) => Answer::False,
        Verdict::Unknown(_) => Answer::Unknown,
    })
}

/// Asks for the result of every check. A check that an execution violates first is never among the proved ones.
fn every_check(
    program: &Program,
    states: u64,
    seed: u64,
    cancel: Arc<AtomicBool>,
    attack: &mut Attack,
) -> Result<Answer, String> {
    let question = Question::EveryCheck;
    let (survey, effort) = survey(SCHEDULE, &setup(program, question, Engines::All, states, cancel))?;
    attack.certified = (attack.certified.0 + effort.certified, attack.certified.1 + effort.rejected);
    let answer = match () {
        () if survey.checks.unknown > 0 => Answer::Unknown,
        () if survey.checks.violated > 0 => Answer::False,
        () => Answer::True,
    };
    // The prover names the checks that it cannot prove. Any other reason concerns all checks that are not violated.
    let alarms: Option<Vec<_>> = survey
        .reasons
        .iter()
        .filter(|reason| !matches!(reason, Reason::UninitialisedRead))
        .map(|reason| if let Reason::Alarm(alarm) = reason { Some(*alarm) } else { None })
        .collect();
    let Some(alarms) = alarms else { return Ok(answer) };
    let shown = violations(program, Rules { uninitialised_faults: true, error_faults: true }, seed);
    for shown in shown.keys().filter(|shown| question.concerns(shown.kind)) {
        let is_same = |kind: CheckKind, line: u32| {
            if shown.kind.is_of_the_end() || shown.kind == CheckKind::Leak {
                return kind.is_of_the_end() || kind == CheckKind::Leak;
            }
            line == shown.line && Property::of(kind) == Property::of(shown.kind)
        };
        let is_found = survey.findings.iter().any(|violation| {
            let fault = &violation.fault;
            fault.stack.iter().any(|place| is_same(fault.kind, place.loc.line)) || is_same(fault.kind, 0)
        });
        if !is_found && !alarms.iter().any(|alarm| is_same(alarm.kind, alarm.loc.line)) {
            attack.broken.push(format!("a check counts as proved, but {shown:?}"));
        }
    }
    Ok(answer)
}

/// Adds the answers of an attack to a table: for each engine and question the numbers of right and other answers.
pub fn count(table: &mut BTreeMap<(&'static str, Question, Answer), u32>, attack: &Attack) {
    for &answer in &attack.answers {
        *table.entry(answer).or_default() += 1;
    }
}
