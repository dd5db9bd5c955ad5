//! Plants one fault after the other in the prover, and counts those that lead to a wrong answer.
//!
//! See `scripts/planted-faults`. The programs are those with a violation in `tests/verify`, and generated ones.

#[allow(dead_code, reason = "only the programs are needed, not the laws")]
#[path = "../tests/attack/mod.rs"]
mod attack;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use attack::oracle::{Rules, violations};
use cairn::schedule::SCHEDULE;
use cairn_exec::planted::{FAULTS, select};
use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;
use cairn_portfolio::Task;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::verify;
use cairn_smt::Session;

/// The work limit of each search, in states.
const STATES: u64 = 2_000;

/// The time for each answer.
const SECONDS: u64 = 2;

/// A program with a violation of these properties.
struct Faulty {
    name: String,
    program: Program,
    properties: Vec<Property>,
}

fn main() {
    let number = |index: usize| std::env::args().nth(index).and_then(|arg| arg.parse::<u32>().ok());
    let (seeds, from, to) = (number(1).unwrap_or(40), number(2).unwrap_or(1), number(3).unwrap_or(FAULTS));
    let mut pool = written(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verify")));
    let written = pool.len();
    pool.extend(generated(seeds));
    println!("{written} programs of the tests and {} generated ones have a violation", pool.len() - written);
    // A planted fault may break an invariant of the prover. That gives no answer, and needs no message.
    std::panic::set_hook(Box::new(|_| {}));
    select(0);
    for faulty in pool.iter().filter(|faulty| is_proved(faulty)) {
        println!("WRONG without a fault: {}", faulty.name);
        std::process::exit(1);
    }
    let mut caught = 0;
    for fault in from..=to.min(FAULTS) {
        select(fault);
        let mut by = pool.iter().filter(|faulty| is_proved(faulty));
        match by.next() {
            Some(faulty) => {
                caught += 1;
                println!("fault {fault}: caught by {}", faulty.name);
            }
            None => println!("fault {fault}: NOT caught"),
        }
    }
    let all = to.min(FAULTS) + 1 - from;
    println!("{caught} of {all} faults are caught ({} %)", 100 * caught / all);
}

/// Returns whether the prover answers TRUE. A panic is no answer.
fn is_proved(faulty: &Faulty) -> bool {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::downgrade(&cancel);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(SECONDS));
        if let Some(flag) = flag.upgrade() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let task = Task {
        entry: "main".to_owned(),
        properties: faulty.properties.clone(),
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    };
    let settings = Settings { engines: Engines::Prove, last_round: Some(STATES), ..Settings::default() };
    let session = Session::new(cancel.clone());
    let setup = Setup::new(&faulty.program, task, Goal::FirstAnswer, settings, cancel, session);
    let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| verify(SCHEDULE, &setup)));
    matches!(answer, Ok(Ok(found)) if matches!(found.verdict, Verdict::True))
}

/// Returns the test programs, and the mutants of test programs, that violate memory safety.
fn written(folder: &Path) -> Vec<Faulty> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let name = file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if text.contains("//= memsafety: FALSE") {
            found.extend(faulty(name.clone(), text.clone()));
        }
        for line in text.lines().filter(|line| line.contains(" = memsafety: FALSE")) {
            let Some(mutant) = line.strip_prefix("//@ ").and_then(|rest| rest.split(' ').next()) else { continue };
            found.extend(faulty(format!("{name}/{mutant}"), mutated(&text, mutant)));
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

fn faulty(name: String, text: String) -> Option<Faulty> {
    let text = cairn_frontend::plain::without_preprocessor(&text).unwrap_or(text);
    let input = Input { name: format!("{name}.c"), text };
    let program = compile(vec![input], Target::Lp64).program?;
    let properties = vec![Property::ValidFree, Property::ValidDeref, Property::ValidMemtrack];
    Some(Faulty { name, program, properties })
}

/// Returns generated mutants that small executions show to be wrong.
fn generated(seeds: u32) -> Vec<Faulty> {
    let mut found = Vec::new();
    for seed in 1..=u64::from(seeds) {
        let program = attack::structures::generate(seed);
        for (index, mutant) in attack::mutations::mutants(&program, seed, 8).into_iter().enumerate() {
            let text = format!("{}{}", attack::structures::PRELUDE, mutant.body);
            let input = Input { name: "generated.c".to_owned(), text };
            let Some(compiled) = compile(vec![input], Target::Lp64).program else { continue };
            let shown = violations(&compiled, Rules { uninitialised_faults: false, error_faults: false }, seed);
            let mut properties: Vec<Property> = shown.keys().filter_map(|shown| Property::of(shown.kind)).collect();
            properties.dedup();
            if !properties.is_empty() {
                found.push(Faulty { name: format!("seed {seed}, mutant {index}"), program: compiled, properties });
            }
        }
    }
    found
}
