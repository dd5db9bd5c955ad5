//! Attacks the engines with generated heap programs and their mutants.
//!
//! `cargo run --release -p cairn --example attack -- SEED COUNT` takes COUNT programs from a seed on, each with its mutants. See
//! `scripts/attack`. `--show SEED` prints a program and its mutants.

#[path = "../tests/attack/mod.rs"]
mod attack;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use attack::{Answer, Effort, Question, count};

/// The mutants of each program.
const MUTANTS: usize = 4;

/// The work limit of each search, in states.
const STATES: u64 = 4_000;

/// The time for each answer. A search that is stopped answers nothing.
const SECONDS: u64 = 3;

/// The number of programs after which progress is printed.
const PROGRESS: usize = 10;

/// Returns a flag that is set after [`SECONDS`].
fn timer() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let weak = Arc::downgrade(&flag);
    std::thread::spawn(move || {
        for _ in 0..10 * SECONDS {
            std::thread::sleep(Duration::from_millis(100));
            if weak.strong_count() == 0 {
                return;
            }
        }
        if let Some(flag) = weak.upgrade() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    flag
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| args.get(index).and_then(|arg| arg.parse::<u64>().ok());
    if args.first().is_some_and(|arg| arg == "--show")
        && let Some(seed) = number(1)
    {
        show(seed);
        return;
    }
    let (Some(seed), Some(programs)) = (number(0), number(1)) else {
        eprintln!("usage: attack SEED COUNT | --show SEED");
        std::process::exit(3);
    };
    let begun = Instant::now();
    let (mut table, mut structures) = (BTreeMap::new(), BTreeMap::new());
    let (mut pairs, mut faulty, mut found, mut broken) = (0, 0, 0, 0);
    let (mut certified, mut rejected) = (0, 0);
    for (done, seed) in (seed..seed + programs).enumerate() {
        if done > 0 && done.is_multiple_of(PROGRESS) {
            let minutes = begun.elapsed().as_secs() / 60;
            println!(
                "{done} programs in {minutes} min: {pairs} pairs, {certified} proofs certified, {rejected} rejected, {broken} wrong"
            );
        }
        let program = attack::structures::generate(seed);
        let mut variants = vec![("no mistake".to_owned(), program.body.clone())];
        let mutants = attack::mutations::mutants(&program, seed, MUTANTS);
        variants.extend(mutants.into_iter().map(|mutant| (mutant.name, mutant.body)));
        for (index, (name, body)) in variants.iter().enumerate() {
            let effort = Effort { states: STATES, each_alone: (seed + index as u64).is_multiple_of(4) };
            let result = match attack::attack(body, seed, effort, &timer) {
                Ok(result) => result,
                // A mistake may make a program that is no C.
                Err(_) if index > 0 => continue,
                Err(message) => {
                    println!("seed {seed}: {} {message}", program.name);
                    broken += 1;
                    continue;
                }
            };
            pairs += u32::from(index > 0);
            faulty += u32::from(result.is_faulty);
            let is_found = |answer: &(&str, Question, Answer)| answer.0 == "all" && answer.2 == Answer::False;
            found += u32::from(result.is_faulty && result.answers.iter().any(is_found));
            if index == 0 {
                let line: &mut (u32, u32) = structures.entry(program.name.clone()).or_default();
                line.0 += 1;
                line.1 += u32::from(result.answers[0].2 == Answer::True);
                if result.is_faulty {
                    println!("seed {seed}: {} has a fault without a mistake", program.name);
                    broken += 1;
                }
            }
            certified += result.certified.0;
            rejected += result.certified.1;
            if result.certified.1 > 0 {
                println!("REJECTED seed {seed}, mutant {index} of {} ({name})", program.name);
            }
            for law in &result.broken {
                println!("WRONG seed {seed}, mutant {index} of {} ({name}): {law}", program.name);
                broken += 1;
            }
            count(&mut table, &result);
        }
    }
    println!("{:9} {:14} {:>6} {:>6} {:>8}", "engines", "question", "true", "false", "unknown");
    let mut rows: Vec<(&str, Question)> = table.keys().map(|key| (key.0, key.1)).collect();
    rows.dedup();
    for (engines, question) in rows {
        let of = |answer| table.get(&(engines, question, answer)).copied().unwrap_or(0);
        let (yes, no, open) = (of(Answer::True), of(Answer::False), of(Answer::Unknown));
        println!("{engines:9} {:14} {yes:6} {no:6} {open:8}", format!("{question:?}"));
    }
    let proved: u32 = structures.values().map(|line| line.1).sum();
    println!(
        "{programs} programs ({proved} proved), {pairs} pairs, {faulty} with a fault ({found} found), {certified} proofs certified, {rejected} rejected, \
         {broken} wrong; {:?}",
        begun.elapsed()
    );
    std::process::exit(i32::from(broken > 0));
}

fn show(seed: u64) {
    let program = attack::structures::generate(seed);
    let wanted = std::env::args().nth(3).and_then(|arg| arg.parse::<usize>().ok());
    let mut variants = vec![("no mistake".to_owned(), program.body.clone())];
    let mutants = attack::mutations::mutants(&program, seed, MUTANTS);
    variants.extend(mutants.into_iter().map(|mutant| (mutant.name, mutant.body)));
    for (index, (name, body)) in
        variants.into_iter().enumerate().filter(|(index, _)| wanted.is_none_or(|w| w == *index))
    {
        println!("// {index}: {name}\n{}{body}", attack::structures::PRELUDE);
    }
}
