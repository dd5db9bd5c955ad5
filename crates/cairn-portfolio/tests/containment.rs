//! An engine that panics takes neither the process nor the answers of other engines with it.

use std::panic;

use cairn_ir::CheckKind;
use cairn_portfolio::engine::{Budget, Engine, Finding, Goal, OpenChecks, Proof, Scope};
use cairn_portfolio::schedule::Entry;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::{survey, verify};
use cairn_portfolio::{Reason, Task};
use cairn_smt::Session;

const PROGRAM: &str = "program lp64
file 0 \"a.c\"
function f0 external \"main\" () -> i32 @0:1:5 {
b0:
  return 0 @0:1:16
}
";

/// An engine that grants one kind of checks, and then panics.
struct Panics {
    turns: u32,
}

impl Engine for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn advance(&mut self, _: &OpenChecks, _: &mut Budget) -> Vec<Finding> {
        self.turns += 1;
        assert_eq!(self.turns, 1, "a planted bug");
        let scope = Scope::Kinds(vec![CheckKind::Leak]);
        vec![Finding::Proved(Proof {
            scope,
            assumptions: Default::default(),
            invariants: Vec::new(),
            certificate: None,
        })]
    }
}

impl Drop for Panics {
    fn drop(&mut self) {
        assert_eq!(self.turns, 0, "dropping a broken engine would panic again");
    }
}

/// An engine that proves everything in its third turn.
struct Proves {
    turns: u32,
}

impl Engine for Proves {
    fn name(&self) -> &'static str {
        "proves"
    }

    fn advance(&mut self, _: &OpenChecks, _: &mut Budget) -> Vec<Finding> {
        self.turns += 1;
        let proof =
            Proof { scope: Scope::All, assumptions: Default::default(), invariants: Vec::new(), certificate: None };
        if self.turns > 2 { vec![Finding::Proved(proof)] } else { Vec::new() }
    }
}

const PANICS: Entry = Entry { create: |_| Ok(Box::new(Panics { turns: 0 })), with: &[Engines::All], from: 0 };
const PROVES: Entry = Entry { create: |_| Ok(Box::new(Proves { turns: 0 })), with: &[Engines::All], from: 0 };
const BROKEN: Entry = Entry { create: |_| panic!("a planted bug"), with: &[Engines::All], from: 0 };

fn with_setup<T>(goal: Goal, run: impl FnOnce(&Setup<'_>) -> T) -> T {
    panic::set_hook(Box::new(|_| {}));
    let program = cairn_ir::parse::parse(PROGRAM).expect("the text above is IR");
    let task = Task {
        entry: "main".to_owned(),
        properties: Property::ALL.into(),
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: true,
    };
    let session = Session::new(std::sync::Arc::default());
    run(&Setup::new(&program, task, goal, Settings::default(), std::sync::Arc::default(), session))
}

#[test]
fn other_engines_go_on_after_a_panic() {
    with_setup(Goal::FirstAnswer, |setup| {
        let found = verify(&[PANICS, BROKEN, PROVES], setup).expect("the program has an entry");
        assert!(matches!(found.verdict, Verdict::True));
        assert_eq!(found.failures.len(), 2);
    });
}

#[test]
fn a_panic_is_never_an_answer() {
    with_setup(Goal::FirstAnswer, |setup| {
        let found = verify(&[PANICS], setup).expect("the program has an entry");
        let Verdict::Unknown(reasons) = found.verdict else { panic!("an answer after a panic") };
        assert!(
            matches!(&reasons[..], [Reason::InternalError("panics", message)] if message.contains("a planted bug"))
        );
    });
    with_setup(Goal::EveryCheck, |setup| {
        let (found, _) = survey(&[PANICS], setup).expect("the program has an entry");
        assert_eq!(found.checks.proved, 1, "the kind that was proved before the panic stays proved");
        assert!(found.checks.unknown > 0);
        assert_eq!(found.failures.len(), 1);
    });
}
