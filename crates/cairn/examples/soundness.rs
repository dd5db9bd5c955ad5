//! Compares verdicts on generated programs with random executions.
//!
//! `cargo run --release -p cairn --example soundness -- FROM TO` takes the seeds in this range. With a third argument `explore` or
//! `prove`, only this engine answers. A broken law is printed with its program, and the exit status is then 1. `--show SEED` prints
//! the program of a seed.

#[path = "../tests/generate/mod.rs"]
mod generate;

use std::collections::BTreeMap;

use cairn_portfolio::settings::Engines;
use generate::{Fate, judge};

/// The work limit of each search, in states.
const STATES: u64 = 64_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| args.get(index).and_then(|arg| arg.parse::<u64>().ok());
    if args.first().is_some_and(|arg| arg == "--show")
        && let Some(seed) = number(1)
    {
        print!("{}", generate::generate(seed).text);
        return;
    }
    let (Some(from), Some(to)) = (number(0), number(1)) else {
        eprintln!("usage: soundness FROM TO [all|explore|prove] | --show SEED");
        std::process::exit(3);
    };
    let asked = args.get(2).map_or("all", String::as_str);
    let engines = Engines::ALL.into_iter().find(|engines| engines.name() == asked).unwrap_or_default();
    let (mut broken, mut planted, mut found) = (0, 0, 0);
    let mut fates: BTreeMap<String, u32> = BTreeMap::new();
    for seed in from..to {
        match judge(seed, 50, STATES, engines) {
            Ok(all) => {
                for (fate, is_planted, reason) in all {
                    planted += u32::from(is_planted);
                    found += u32::from(is_planted && fate == Fate::False);
                    *fates.entry(format!("{fate:?} {reason}")).or_default() += 1;
                    if fate == Fate::Unknown {
                        println!("seed {seed}: UNKNOWN({reason}){}", if is_planted { " planted" } else { "" });
                    }
                }
            }
            Err(complaint) => {
                broken += 1;
                println!("{complaint}");
            }
        }
    }
    for (fate, count) in fates {
        println!("{count:6} {fate}");
    }
    println!("{found} of {planted} planted faults found; {broken} of {} seeds break a law", to - from);
    std::process::exit(i32::from(broken > 0));
}
