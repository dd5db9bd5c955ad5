//! A fixed sample of generated heap programs and their mutants. `scripts/attack` takes other seeds.

#[path = "attack/mod.rs"]
mod attack;
mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use attack::{Answer, Effort, count};

/// The work limit of each search, in states.
const STATES: u64 = 300;

#[test]
fn no_answer_contradicts_a_small_execution() {
    let programs = if support::sweeps_all() { 60 } else { 6 };
    let (mut faulty, mut broken, mut table) = (0, Vec::new(), BTreeMap::new());
    for seed in 1..=programs {
        let program = attack::structures::generate(seed);
        let mutants = attack::mutations::mutants(&program, seed, 2);
        let bodies = std::iter::once(program.body.clone()).chain(mutants.into_iter().map(|mutant| mutant.body));
        for (index, body) in bodies.enumerate() {
            let effort = Effort { states: STATES, each_alone: false };
            let never = || Arc::new(AtomicBool::new(false));
            match attack::attack(&body, seed, effort, &never) {
                Ok(result) => {
                    faulty += u32::from(result.is_faulty);
                    broken.extend(result.broken.iter().map(|law| format!("seed {seed}, mutant {index}: {law}")));
                    assert!(index > 0 || !result.is_faulty, "seed {seed} ({}) has a fault", program.name);
                    count(&mut table, &result);
                }
                Err(message) => assert!(index > 0, "seed {seed}: {message}"),
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(faulty > 0, "no mutant has a fault");
    let of = |answer: Answer| -> u32 { table.iter().filter(|(key, _)| key.2 == answer).map(|(_, count)| count).sum() };
    assert!(of(Answer::True) > 0 && of(Answer::False) > 0, "no proofs or no violations: {table:?}");
}

/// The oracle finds a mistake of each kind in some program.
#[test]
fn mutants_are_c_and_many_have_a_fault() {
    use attack::oracle::{Rules, violations};
    use cairn_frontend::{Input, compile};
    let mut kinds: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for seed in 1..=12 {
        let program = attack::structures::generate(seed);
        for mutant in attack::mutations::mutants(&program, seed, 12) {
            let text = format!("{}{}", attack::structures::PRELUDE, mutant.body);
            let input = Input { name: "generated.c".to_owned(), text };
            let Some(program) = compile(vec![input], cairn_ir::layout::Target::Lp64).program else { continue };
            let rules = Rules { uninitialised_faults: false, error_faults: true };
            let kind = mutant.name.split(':').next().unwrap_or_default().to_owned();
            let entry = kinds.entry(kind).or_default();
            entry.0 += 1;
            entry.1 += u32::from(!violations(&program, rules, seed).is_empty());
        }
    }
    let (all, faulty) = kinds.values().fold((0, 0), |sum, (all, faulty)| (sum.0 + all, sum.1 + faulty));
    assert!(all > 100 && 4 * faulty > all, "{faulty} of {all} mutants have a fault: {kinds:?}");
    assert!(kinds.len() >= 10, "{kinds:?}");
}
