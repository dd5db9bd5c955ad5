//! Random libraries for the engine `integrity`, held against the interpreter: what is called safe is run on random graphs, and no run may
//! leave a node or end with a graph that is not valid.

use cairn_engine::engines::integrity::{self, Options as Question};
use cairn_engine::engines::interpret::{Ending, Host, Options, run};
use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;
use cairn_ir::{CheckKind, Loc, Program, Ty};

/// Libraries that are made.
const LIBRARIES: u64 = 120;

/// Numbers that look random and are the same in every run of the test.
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

/// What runs of the libraries get from outside.
#[derive(Clone, Copy)]
pub struct Outside {
    /// Inputs are less than this.
    pub inputs_below: u64,
    /// Allocations that are sure to succeed; some of those after them fail.
    pub sure_allocations: u64,
}

struct World(Numbers, Outside);

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

/// Makes libraries by number, each with a function `visit` that looks at every node, and runs `main` with each. No run may fail where all
/// but `visit` is called safe; at least so many libraries are, and enough runs of the others fail for that to say something.
pub fn no_run_breaks_what_is_called_safe(
    library: impl Fn(&mut Numbers, u64) -> String,
    main: &str,
    outside: Outside,
    least_safe: u32,
) {
    let (mut safe, mut broken) = (0, 0);
    for seed in 1..=LIBRARIES {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let asked = library(&mut numbers, seed);
        let text = format!("{asked}{main}");
        let asked = compiled(&asked);
        let program = compiled(&text);
        let report = integrity::check(&asked, &Question::default(), &|| false);
        let all_safe = report
            .functions
            .iter()
            .filter(|function| asked.functions[function.function.index()].name != "visit")
            .all(integrity::FunctionReport::is_safe);
        safe += u32::from(all_safe);
        for round in 0..12 {
            let mut world = World(Numbers(seed * 1000 + round * 77 + 1), outside);
            let outcome = run(&program, &Options { max_steps: Some(200_000), ..Options::default() }, &mut world)
                .expect("there is a main");
            let Ending::Fault(fault) = outcome.ending else { continue };
            // An access through null stops the program, and when things die is no matter of this engine.
            let others = [CheckKind::NullDeref, CheckKind::UseAfterScope, CheckKind::Leak, CheckKind::Unfreed];
            if others.contains(&fault.kind) {
                continue;
            }
            broken += 1;
            assert!(!all_safe, "{:?} in what is called safe (seed {seed}, round {round}):\n{text}", fault.kind);
        }
    }
    assert!(safe > least_safe, "only {safe} of {LIBRARIES} libraries are safe");
    assert!(broken > 30, "only {broken} runs fail");
}
