//! One execution as a proof: what it proves, and what it must leave open.
//!
//! The second line of each program in `one_execution/` has the answer of the engine alone. A program with the answer `UNKNOWN` does different
//! things in different executions, and some of them violate a check although the interpreter's own execution does not.

mod support;

use std::path::Path;
use std::sync::Arc;

use cairn_ir::CheckKind;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::one_execution;
use cairn_portfolio::schedule::Entry;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::{Task, verify};
use cairn_smt::Session;
use support::{cairn, check_all, finish, programs};

const ALONE: &[Entry] = &[Entry { create: one_execution::engine, with: &[Engines::All], from: 0 }];

#[test]
fn an_execution_proves_only_what_holds_in_all_others() {
    check_all(&support::c_files(&programs("one_execution")), check);
}

fn check(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let expected = text.lines().nth(1).and_then(|line| line.strip_prefix("// ")).unwrap_or("no answer is stated");
    for model in ["--data-model=ILP32", "--data-model=LP64"] {
        let said = finish(cairn().args(["dump", "--ir", "--world", "-w", model]).arg(file));
        let program = cairn_ir::parse::parse(&said.stdout).map_err(|error| format!("{error:?}\n{}", said.stderr))?;
        let entry = if program.function_named("__cairn_start").is_some() { "__cairn_start" } else { "main" };
        let task = Task {
            entry: entry.to_owned(),
            properties: Property::ALL.into_iter().filter(|p| *p != Property::ValidMemcleanup).collect(),
            besides: vec![CheckKind::Uninitialised, CheckKind::DivisionByZero],
            malloc_fails: false,
            assert_faults: true,
        };
        let settings = Settings::default();
        let session = Session::new(Arc::default());
        let setup = Setup::new(&program, task, Goal::FirstAnswer, settings, Default::default(), session);
        let found = verify::verify(ALONE, &setup)?;
        let answer = match found.verdict {
            Verdict::True => "TRUE".to_owned(),
            Verdict::False(violation) => format!("FALSE({})", violation.property.map_or("?", Property::name)),
            Verdict::Unknown(_) => "UNKNOWN".to_owned(),
        };
        if answer != expected {
            return Err(format!("{model}: {answer} instead of {expected}"));
        }
    }
    Ok(())
}
