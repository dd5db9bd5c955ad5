//! Generated heap programs keep the laws: no execution refutes a TRUE, a FALSE is about the property in question, and planted
//! faults are found. `examples/soundness.rs` takes other seeds.

mod generate;
mod support;

use cairn_portfolio::settings::Engines;
use generate::{Fate, judge};

/// The work limit of each search, in states.
const STATES: u64 = 16_000;

/// Returns the last seed: `sample` by default, `all` with `CAIRN_SWEEP=all`.
fn last(sample: u64, all: u64) -> u64 {
    if support::sweeps_all() { all } else { sample }
}

#[test]
fn verdicts_on_generated_programs_keep_the_laws() {
    let (mut planted, mut found, mut all, mut unknown) = (0, 0, 0, 0);
    let mut complaints = Vec::new();
    for seed in 1..=last(20, 200) {
        match judge(seed, 20, STATES, Engines::All) {
            Ok(fates) => {
                for (fate, is_planted, _) in fates {
                    all += 1;
                    unknown += u32::from(fate == Fate::Unknown);
                    planted += u32::from(is_planted);
                    found += u32::from(is_planted && fate == Fate::False);
                }
            }
            Err(complaint) => complaints.push(complaint),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(5 * unknown < all, "{unknown} of {all} verdicts are UNKNOWN");
    assert!(5 * (planted - found) < planted, "{found} of {planted} planted faults are found");
}

/// With the engine `prove` alone, every TRUE rests on the abstraction. A program with a planted fault is never proved.
#[test]
fn proofs_of_generated_programs_keep_the_laws() {
    let mut complaints = Vec::new();
    let mut proved = 0;
    for seed in 1000..=last(1039, 1199) {
        match judge(seed, 20, STATES, Engines::Prove) {
            Ok(fates) => proved += fates.iter().filter(|(fate, ..)| *fate == Fate::True).count(),
            Err(complaint) => complaints.push(complaint),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(proved > 10, "only {proved} are proved");
}
