//! Plants one fault after the other in the prover, and counts those that are caught.
//!
//! See `scripts/planted-faults`. The programs are those about memory safety in `tests/verify`, and generated ones. A fault is caught if
//! the checker rejects a proof, or if the prover and the checker answer TRUE for a program that has a violation.

#[allow(dead_code, reason = "only the programs are needed, not the laws")]
#[path = "../tests/attack/mod.rs"]
mod attack;

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use attack::oracle::{Rules, violations};
use cairn::certificate::certifier;
use cairn::schedule::SCHEDULE;
use cairn_exec::planted::{FAULTS, select};
use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;
use cairn_portfolio::Task;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::{Certifier, Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::verify;
use cairn_smt::Session;

/// The properties of the written programs.
const SAFETY: [Property; 3] = [Property::ValidFree, Property::ValidDeref, Property::ValidMemtrack];

/// The work limit of each search, in states.
const STATES: u64 = 300;

/// The queries that a search may need without a fault. Programs that need more take too long to be asked about every fault.
const MAX_QUERIES: u64 = 1_000;

/// A program with its properties.
struct Case {
    name: String,
    program: Program,
    properties: Vec<Property>,
    /// Whether some execution violates the properties.
    is_faulty: bool,
}

/// What came of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    /// A proof that the checker accepts.
    Proved,
    /// A proof that the checker rejects, for another reason than its budget.
    Rejected,
    /// No proof.
    Open,
}

fn main() {
    let number = |index: usize| std::env::args().nth(index).and_then(|arg| arg.parse::<u32>().ok());
    let (seeds, from, to) = (number(1).unwrap_or(40), number(2).unwrap_or(1), number(3).unwrap_or(FAULTS));
    let mut pool = written(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verify")));
    pool.extend(generated(seeds));
    // A planted fault may break an invariant of the prover. That gives no answer, and needs no message.
    std::panic::set_hook(Box::new(|_| {}));
    select(0);
    let all = pool.len();
    let mut cases: Vec<(Case, Outcome, u64)> = Vec::new();
    for case in pool {
        let (outcome, queries) = ask(&case);
        if case.is_faulty && outcome != Outcome::Open {
            println!("WRONG without a fault: {}", case.name);
            std::process::exit(1);
        }
        // A right program without a certified proof says nothing about a fault.
        if queries <= MAX_QUERIES && (case.is_faulty || outcome == Outcome::Proved) {
            cases.push((case, outcome, queries));
        }
    }
    // Most faults are caught by a cheap program.
    cases.sort_by_key(|(_, _, queries)| *queries);
    let faulty = cases.iter().filter(|(case, ..)| case.is_faulty).count();
    println!("{faulty} faulty programs and {} certified proofs, of {all} programs", cases.len() - faulty);
    let (mut rejected, mut wrong) = (0, 0);
    for fault in from..=to.min(FAULTS) {
        select(fault);
        let caught = cases.iter().find_map(|(case, ..)| match ask(case).0 {
            Outcome::Rejected => Some((case, true)),
            Outcome::Proved if case.is_faulty => Some((case, false)),
            _ => None,
        });
        match caught {
            Some((case, true)) => {
                rejected += 1;
                println!("fault {fault}: the checker rejects the proof of {}", case.name);
            }
            Some((case, false)) => {
                wrong += 1;
                println!("fault {fault}: a wrong proof of {} is accepted", case.name);
            }
            None => println!("fault {fault}: NOT caught"),
        }
    }
    let all = to.min(FAULTS) + 1 - from;
    println!(
        "{} of {all} faults are caught ({} %): {rejected} by the checker, {wrong} by a wrong answer",
        rejected + wrong,
        100 * (rejected + wrong) / all
    );
}

/// Asks the prover and the checker. Returns also the number of queries. A panic is no answer.
fn ask(case: &Case) -> (Outcome, u64) {
    let cancel = Arc::new(AtomicBool::new(false));
    let task = Task {
        entry: "main".to_owned(),
        properties: case.properties.clone(),
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    };
    let is_rejected = Rc::new(Cell::new(false));
    let (checker, notes) = (certifier(cancel.clone()), Rc::clone(&is_rejected));
    let certifier = Certifier(Rc::new(move |program, certificate, cost| {
        let outcome = (checker.0)(program, certificate, cost);
        notes.set(notes.get() || outcome.as_ref().is_err_and(|reason| reason != "out of budget"));
        outcome
    }));
    let settings = Settings {
        engines: Engines::Prove,
        last_round: Some(STATES),
        certifier: Some(certifier),
        ..Settings::default()
    };
    let session = Session::new(cancel.clone());
    let setup = Setup::new(&case.program, task, Goal::FirstAnswer, settings, cancel, session);
    let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| verify(SCHEDULE, &setup)));
    let Ok(Ok(found)) = answer else { return (Outcome::Open, 0) };
    let outcome = match found.verdict {
        _ if is_rejected.get() => Outcome::Rejected,
        Verdict::True => Outcome::Proved,
        _ => Outcome::Open,
    };
    (outcome, found.effort.solver.queries)
}

/// Returns the test programs, and the mutants of test programs, that violate memory safety or keep it.
fn written(folder: &Path) -> Vec<Case> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let name = file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        for (answer, is_faulty) in [("FALSE", true), ("TRUE", false)] {
            if text.contains(&format!("//= memsafety: {answer}")) {
                found.extend(case(name.clone(), text.clone(), is_faulty));
            }
        }
        for line in text.lines().filter(|line| line.contains(" = memsafety: FALSE")) {
            let Some(mutant) = line.strip_prefix("//@ ").and_then(|rest| rest.split(' ').next()) else { continue };
            found.extend(case(format!("{name}/{mutant}"), mutated(&text, mutant), true));
        }
    }
    found
}

/// Returns a mutant: each line `//@ NAME: TEXT` replaces the line above it, and `//@ NAME+ TEXT` is a further line.
fn mutated(text: &str, mutant: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let said = line.trim_start().strip_prefix(&format!("//@ {mutant}"));
        if let Some(added) = said.and_then(|rest| rest.strip_prefix('+')) {
            lines.push(added.to_owned());
            continue;
        }
        match said.and_then(|rest| rest.strip_prefix(':')) {
            Some(instead) => {
                let above = lines.iter().rposition(|line| !line.trim_start().starts_with("//@"));
                if let Some(above) = above {
                    lines[above] = instead.to_owned();
                }
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

fn case(name: String, text: String, is_faulty: bool) -> Option<Case> {
    let text = cairn_frontend::plain::without_preprocessor(&text).unwrap_or(text);
    let input = Input { name: format!("{name}.c"), text };
    let program = compile(vec![input], Target::Lp64).program?;
    Some(Case { name, program, properties: SAFETY.to_vec(), is_faulty })
}

/// Returns generated programs, and mutants that small executions show to be wrong.
fn generated(seeds: u32) -> Vec<Case> {
    let mut found = Vec::new();
    for seed in 1..=u64::from(seeds) {
        let program = attack::structures::generate(seed);
        let right = format!("{}{}", attack::structures::PRELUDE, program.body);
        found.extend(case(format!("seed {seed}"), right, false));
        for (index, mutant) in attack::mutations::mutants(&program, seed, 8).into_iter().enumerate() {
            let text = format!("{}{}", attack::structures::PRELUDE, mutant.body);
            let Some(mutant) = case(format!("seed {seed}, mutant {index}"), text, true) else { continue };
            let shown = violations(&mutant.program, Rules { uninitialised_faults: false, error_faults: false }, seed);
            let mut properties: Vec<Property> = shown.keys().filter_map(|shown| Property::of(shown.kind)).collect();
            properties.dedup();
            if !properties.is_empty() {
                found.push(Case { properties, ..mutant });
            }
        }
    }
    found
}
