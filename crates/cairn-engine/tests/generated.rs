//! Generated heap programs keep the laws: no run of a program reaches a fault that a TRUE denied, a FALSE is of the property that
//! was asked about, and planted faults are found. A longer run with other seeds: `examples/soundness.rs`.

mod generate;

use std::time::Duration;

use cairn_engine::portfolio::Engines;
use generate::{Fate, judge};

#[test]
fn verdicts_on_generated_programs_keep_the_laws() {
    let (mut planted, mut found, mut all, mut unknown) = (0, 0, 0, 0);
    let mut complaints = Vec::new();
    for seed in 1..=50 {
        match judge(seed, 20, Duration::from_secs(2), Engines::All) {
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

/// Proofs alone: every TRUE rests on the abstraction, and a planted fault is never proved away.
#[test]
fn proofs_of_generated_programs_keep_the_laws() {
    let mut complaints = Vec::new();
    let mut proved = 0;
    for seed in 1000..1080 {
        match judge(seed, 20, Duration::from_secs(2), Engines::Prove) {
            Ok(fates) => proved += fates.iter().filter(|(fate, ..)| *fate == Fate::True).count(),
            Err(complaint) => complaints.push(complaint),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(proved > 10, "only {proved} are proved");
}
