//! Proofs of single checks count by themselves.

use cairn_ir::{CheckId, CheckKind};
use cairn_portfolio::Task;
use cairn_portfolio::candidate::Candidate;
use cairn_portfolio::engine::{Budget, Engine, Finding, Goal, OpenChecks, Proof, Scope};
use cairn_portfolio::schedule::Entry;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::{survey, verify};
use cairn_smt::Session;

/// Reads through a null pointer, behind a division that cannot fail.
const PROGRAM: &str = "program lp64
file 0 \"a.c\"
check c0 division-by-zero f0 @0:1:10
check c1 null-deref f0 @0:1:14
check c2 invalid-deref f0 @0:1:14
function f0 external \"main\" () -> i32 @0:1:5 {
  reg v0: ptr
  reg v1: i32
b0:
  v0 = move 0
  v1 = sdiv i32 6, 3 !c0 @0:1:10
  v1 = load i32 v0 !c1..c2 @0:1:14
  return v1 @0:1:16
}
";

/// An engine that makes its findings in one turn.
struct Says(Vec<Finding>);

impl Engine for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn advance(&mut self, _: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        budget.states = 0;
        std::mem::take(&mut self.0)
    }
}

fn proved(checks: &[u32], excludes_others: bool) -> Finding {
    let scope = Scope::Checks { checks: checks.iter().copied().map(CheckId).collect(), excludes_others };
    Finding::Proved(Proof { scope, assumptions: Default::default(), invariants: Vec::new(), certificate: None })
}

const SOME: Entry =
    Entry { create: |_| Ok(Box::new(Says(vec![proved(&[0, 2], true)]))), with: &[Engines::All], from: 0 };
const ALL: Entry =
    Entry { create: |_| Ok(Box::new(Says(vec![proved(&[0, 1, 2], true)]))), with: &[Engines::All], from: 0 };
const ALL_WITHOUT_OTHERS: Entry =
    Entry { create: |_| Ok(Box::new(Says(vec![proved(&[0, 1, 2], false)]))), with: &[Engines::All], from: 0 };
const REFUTED: Entry = Entry {
    create: |_| {
        let (kind, check) = (CheckKind::NullDeref, Some(CheckId(1)));
        let candidate = Candidate { kind, check, stack: Vec::new(), inputs: Vec::new() };
        Ok(Box::new(Says(vec![proved(&[1], false), Finding::Candidate(candidate)])))
    },
    with: &[Engines::All],
    from: 0,
};

fn with_setup<T>(goal: Goal, run: impl FnOnce(&Setup<'_>) -> T) -> T {
    let program =
        cairn_ir::parse::parse(PROGRAM).unwrap_or_else(|error| panic!("line {}: {}", error.line, error.message));
    let task = Task {
        entry: "main".to_owned(),
        properties: vec![Property::ValidDeref],
        besides: vec![CheckKind::DivisionByZero],
        malloc_fails: false,
        assert_faults: true,
    };
    let session = Session::new(std::sync::Arc::default());
    let settings = Settings { last_round: Some(1), ..Settings::default() };
    run(&Setup::new(&program, task, goal, settings, std::sync::Arc::default(), session))
}

#[test]
fn single_checks_are_counted() {
    with_setup(Goal::EveryCheck, |setup| {
        let (found, _) = survey(&[SOME], setup).expect("the program has an entry");
        assert_eq!((found.checks.proved, found.checks.unknown), (2, 1));
    });
}

#[test]
fn all_single_checks_are_a_proof_if_nothing_else_can_fail() {
    let verdict = |entry: Entry| {
        with_setup(Goal::FirstAnswer, |setup| verify(&[entry], setup).expect("the program has an entry").verdict)
    };
    assert!(matches!(verdict(ALL), Verdict::True));
    assert!(matches!(verdict(SOME), Verdict::Unknown(_)));
    assert!(matches!(verdict(ALL_WITHOUT_OTHERS), Verdict::Unknown(_)));
}

#[test]
fn a_violation_withdraws_the_proofs() {
    with_setup(Goal::EveryCheck, |setup| {
        let (found, _) = survey(&[REFUTED], setup).expect("the program has an entry");
        assert_eq!((found.checks.proved, found.checks.violated), (0, 1));
        assert_eq!(found.failures.len(), 1);
    });
}
