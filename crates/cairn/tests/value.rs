//! Soundness of the value analysis with respect to the interpreter.
//!
//! The values that the analysis computes become assertions in the program, which the interpreter then executes: every value that an instruction
//! assigns must be among them. A check that an execution violates must not be proved.

#[path = "value/assertions.rs"]
mod assertions;
mod support;

use std::path::Path;

use cairn_interpret::{Ending, Host};
use cairn_ir::{Loc, Program, Ty};
use cairn_value::analysis::{Options, Precision};
use support::{cairn, check_all, finish, programs, sample, sweeps_all};

/// Inputs from a generator of pseudo-random numbers, with many small ones.
struct Inputs(u64);

impl Inputs {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

impl Host for Inputs {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        let next = self.next();
        (!next.is_multiple_of(16)).then_some((next >> 8) as u8 % 96 + 32)
    }

    fn nondet(&mut self, _: Ty, _: Loc) -> Option<u128> {
        let next = self.next();
        Some(match next % 4 {
            0 => u128::from(next >> 2),
            1 => (next >> 2) as u128 % 3,
            2 => (next >> 2) as u128 % 20,
            _ => (u128::MAX) - (next >> 2) as u128 % 4,
        })
    }

    fn allocation_fails(&mut self, _: u64) -> bool {
        false
    }

    fn time(&mut self) -> i64 {
        1_700_000_000
    }

    fn clock(&mut self) -> i64 {
        1000
    }
}

fn load(file: &Path) -> Option<Program> {
    let said = finish(cairn().args(["dump", "--ir", "-w"]).arg(file));
    if said.status != 0 {
        return None;
    }
    cairn_ir::parse::parse(&said.stdout).ok()
}

fn execute(program: &Program, seed: u64, arguments: &[&str]) -> Option<cairn_interpret::Fault> {
    let options = cairn_interpret::Options {
        max_steps: Some(300_000),
        undefined_names_hold_anything: true,
        args: arguments.iter().map(|text| text.as_bytes().to_vec()).collect(),
        ..cairn_interpret::Options::default()
    };
    let outcome = cairn_interpret::run(program, &options, &mut Inputs(seed)).ok()?;
    match outcome.ending {
        Ending::Fault(fault) => Some(*fault),
        _ => None,
    }
}

fn check(file: &Path) -> Result<(), String> {
    let Some(program) = load(file) else { return Ok(()) };
    [Precision::Contexts, Precision::Summaries]
        .into_iter()
        .try_for_each(|precision| check_with(&program, precision).map_err(|error| format!("{precision:?}: {error}")))
}

fn check_with(program: &Program, precision: Precision) -> Result<(), String> {
    // A program that the analysis gives up on is no counterexample.
    let options = Options { malloc_fails: false, only: Some(precision) };
    let Ok((observed, findings)) = cairn_value::engine::observe(program, "main", options) else { return Ok(()) };
    let proved: std::collections::BTreeSet<_> = findings.proved.iter().copied().collect();
    let asserted = assertions::insert(program, &observed);
    let seeds: u64 = if sweeps_all() { 40 } else { 6 };
    for seed in 1..=seeds {
        let arguments: &[&str] = match seed % 3 {
            0 => &["program", "-a", "42", "some text"],
            1 => &["program"],
            _ => &["program", "12"],
        };
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if let Some(fault) = execute(program, seed, arguments)
            && fault.check.is_some_and(|check| proved.contains(&check))
        {
            return Err(format!(
                "the check of `{}` is proved: {} at {:?}",
                fault.kind,
                fault.message,
                fault.stack.first()
            ));
        }
        if let Some(fault) = execute(&asserted.program, seed, arguments)
            && let Some(text) = fault.check.and_then(|check| asserted.texts.get(&check))
        {
            return Err(format!("a value lies outside: {text}, at {:?}", fault.stack.first()));
        }
    }
    Ok(())
}

#[test]
fn executions_of_faulty_programs_stay_inside() {
    let files = support::c_files(&programs("run"));
    // Summaries take minutes for some of these programs, so that they belong to the complete sweep.
    let with_contexts = |file: &Path| load(file).map_or(Ok(()), |program| check_with(&program, Precision::Contexts));
    if sweeps_all() {
        check_all(&files, check);
    } else {
        check_all(&sample(files, 4), with_contexts);
    }
}

#[test]
fn executions_of_programs_stay_inside() {
    let files = support::c_files(&programs("exec"));
    check_all(&if sweeps_all() { files } else { sample(files, 6) }, check);
}

#[test]
fn executions_of_tasks_stay_inside() {
    let files = support::c_files(&programs("verify"));
    check_all(&if sweeps_all() { files } else { sample(files, 6) }, check);
}

/// Programs that would expose unsound shortcuts of the domain.
#[test]
fn executions_of_adversarial_programs_stay_inside() {
    check_all(&support::c_files(&programs("value")), check);
}
