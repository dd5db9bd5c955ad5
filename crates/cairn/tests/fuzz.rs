//! The fuzz targets on their seeds and on mutations of them, without coverage feedback. `scripts/fuzz` runs them with it.

mod generate;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Mutations of each seed. The slow targets take fewer.
fn mutations(target: &str) -> u64 {
    match target {
        "generated" => 3,
        "program" | "sl_decide" | "certificate" => 20,
        _ => 200,
    }
}

/// Marsaglia's xorshift, so that every machine tests the same bytes.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    /// Changes, removes, inserts, repeats or swaps a few bytes.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..1 + self.below(4) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(12)).min(bytes.len());
            let at = at.min(end);
            match self.below(5) {
                0 if at < end => bytes[at] = self.below(256) as u8,
                1 => drop(bytes.drain(at..end)),
                2 => bytes.insert(at, b"(){}[];,*&=-+.0\"'#\\ \n"[self.below(21)]),
                3 => {
                    let piece = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ if at < end => bytes[at..end].reverse(),
                _ => {}
            }
        }
    }
}

#[test]
fn no_target_breaks_a_law_on_mutated_seeds() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let work = move || {
        for (target, run) in targets::ALL {
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            let folder = seeds.join(target);
            let mut files: Vec<_> = std::fs::read_dir(&folder)
                .expect("every target has seeds")
                .map(|entry| entry.expect("the folder is readable").path())
                .collect();
            files.sort();
            for file in files {
                let seed = std::fs::read(&file).expect("the seed is readable");
                for mutation in 0..=mutations(target) {
                    let mut bytes = seed.clone();
                    if mutation > 0 {
                        random.mutate(&mut bytes);
                    }
                    let outcome = catch_unwind(AssertUnwindSafe(|| run(&bytes)));
                    assert!(outcome.is_ok(), "{target} fails on {:?}", String::from_utf8_lossy(&bytes));
                }
            }
        }
    };
    // The front-end walks trees recursively.
    let thread = std::thread::Builder::new().stack_size(cairn_frontend::limits::STACK_SIZE).spawn(work);
    thread.expect("a thread can be started").join().expect("no target breaks a law");
}
