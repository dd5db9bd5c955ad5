//! Comparison of the engine `integrity` with the interpreter on random libraries.
//!
//! Libraries that the engine calls safe are executed on random graphs. No execution may leave a node or end with an invalid graph.

#[path = "../sweep/mod.rs"]
mod sweep;

use cairn_frontend::{Input, compile};
use cairn_integrity::Options as Question;
use cairn_interpret::{Ending, Host, Options, run};
use cairn_ir::layout::Target;
use cairn_ir::{CheckKind, Loc, Program, Ty};

/// The number of libraries, by default and with `CAIRN_SWEEP=all`.
const LIBRARIES: [u64; 2] = [48, 240];

/// A pseudo-random number generator.
pub struct Numbers(u64);

impl Numbers {
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % count
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// The behaviour of the environment.
#[derive(Clone, Copy)]
pub struct Environment {
    /// The exclusive upper bound of inputs.
    pub inputs_below: u64,
    /// The number of allocations that always succeed. Some later ones fail.
    pub sure_allocations: u64,
}

struct World(Numbers, Environment);

impl Host for World {
    fn write(&mut self, _fd: i32, _bytes: &[u8]) {}
    fn read_byte(&mut self) -> Option<u8> {
        None
    }
    fn nondet(&mut self, _ty: Ty, _loc: Loc) -> Option<u128> {
        Some(u128::from(self.0.below(self.1.inputs_below)))
    }
    fn allocation_fails(&mut self, count: u64) -> bool {
        count > self.1.sure_allocations && self.0.below(9) == 0
    }
    fn time(&mut self) -> i64 {
        0
    }
    fn clock(&mut self) -> i64 {
        0
    }
}

fn compiled(text: &str) -> Program {
    let compilation = compile(vec![Input { name: "t.c".to_owned(), text: text.to_owned() }], Target::Lp64);
    compilation.program.unwrap_or_else(|| panic!("{:?}\n{text}", compilation.diagnostics))
}

/// Generates libraries, each with a function `visit` that reads every node, and executes `main` with each of them.
///
/// No execution may fail if all functions but `visit` are safe. The test needs at least one safe library in `safe_one_in`, and enough
/// failing executions of the others.
pub fn executions_of_safe_libraries_are_valid(
    library: impl Fn(&mut Numbers, u64) -> String + Sync,
    main: &str,
    environment: Environment,
    safe_one_in: u64,
) {
    let count = LIBRARIES[usize::from(sweep::takes_all())];
    let seeds: Vec<u64> = (1..=count).collect();
    let results = sweep::in_parallel(&seeds, |&seed| {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let checked = library(&mut numbers, seed);
        let text = format!("{checked}{main}");
        let checked = compiled(&checked);
        let program = compiled(&text);
        let report = cairn_integrity::check(&checked, &Question::default(), &|| false);
        let all_safe = report
            .functions
            .iter()
            .filter(|function| checked.functions[function.function.index()].name != "visit")
            .all(cairn_integrity::FunctionReport::is_safe);
        let mut failures = 0;
        for round in 0..12 {
            let mut world = World(Numbers(seed * 1000 + round * 77 + 1), environment);
            let outcome = run(&program, &Options { max_steps: Some(200_000), ..Options::default() }, &mut world)
                .expect("there is a main");
            let Ending::Fault(fault) = outcome.ending else { continue };
            // An access through null stops the program. The engine does not check lifetimes.
            let others = [CheckKind::NullDeref, CheckKind::UseAfterScope, CheckKind::Leak, CheckKind::Unfreed];
            if others.contains(&fault.kind) {
                continue;
            }
            failures += 1;
            assert!(!all_safe, "{:?} in a safe library (seed {seed}, round {round}):\n{text}", fault.kind);
        }
        (u64::from(all_safe), failures)
    });
    let safe: u64 = results.iter().map(|(safe, _)| safe).sum();
    let failures: u64 = results.iter().map(|(_, failures)| failures).sum();
    assert!(safe * safe_one_in > count, "only {safe} of {count} libraries are safe");
    assert!(4 * failures > count, "only {failures} executions fail");
}
