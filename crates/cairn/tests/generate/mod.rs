//! Generated C programs, and the laws that a verdict on them must keep.

mod parts;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn::schedule::SCHEDULE;
use cairn_frontend::{Input, compile};
use cairn_interpret::{Ending, Host};
use cairn_ir::layout::Target;
use cairn_ir::{CheckKind, Loc, Program, Ty};
use cairn_portfolio::Task;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::verify;
use cairn_smt::Session;

use self::parts::PARTS;

/// Marsaglia's xorshift, a pseudo-random number generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

const PRELUDE: &str = "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);
void *realloc(void *, unsigned long); void free(void *); void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
int memcmp(const void *, const void *, unsigned long); unsigned long strlen(const char *);
char *strcpy(char *, const char *); int strcmp(const char *, const char *); char *strchr(const char *, int);
extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void); extern short __VERIFIER_nondet_short(void);
extern unsigned __VERIFIER_nondet_uint(void); extern long __VERIFIER_nondet_long(void);
extern _Bool __VERIFIER_nondet_bool(void);
";

const INPUTS: &[&str] = &[
    "__VERIFIER_nondet_int()",
    "__VERIFIER_nondet_char()",
    "__VERIFIER_nondet_uchar()",
    "__VERIFIER_nondet_short()",
    "__VERIFIER_nondet_uint()",
    "__VERIFIER_nondet_long()",
    "__VERIFIER_nondet_bool()",
];

/// Conditions that some input meets, with `@` for the input.
const CONDITIONS: &[&str] = &[
    "@ == 1",
    "__VERIFIER_nondet_int() == 77",
    "(unsigned char)(__VERIFIER_nondet_uchar() * 3) == 9",
    "__VERIFIER_nondet_uint() % 7 == 3",
    "(__VERIFIER_nondet_int() ^ 0x55) == 0x1234",
    "(short)__VERIFIER_nondet_int() < -300",
    "__VERIFIER_nondet_long() > 0x10000000",
    "!@",
    "(__VERIFIER_nondet_uint() >> 28) == 15",
    "-__VERIFIER_nondet_int() == 5",
];

/// A generated program.
pub struct Generated {
    /// The text.
    pub text: String,
    /// Whether a fault was planted that some input reaches.
    pub planted: bool,
}

/// Generates the program of a seed. Every other program has a planted fault. Some of the others may have one by chance.
pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let planted = seed % 2 == 1;
    let risky = !planted && random.below(3) == 0;
    let count = if random.below(4) == 0 { 2 } else { 1 };
    let chosen: Vec<&str> = (0..count).map(|_| random.one(PARTS)).collect();
    // The part that gets the fault and the position in it are chosen at random.
    let faulty = random.below(count as u64) as usize;
    let mut text = PRELUDE.to_owned();
    let mut calls = String::new();
    for (k, part) in chosen.iter().enumerate() {
        let site = (planted && k == faulty).then(|| random.below(choices(part).max(1)));
        let fixed = plant(part, site);
        text += &fill(&fixed, k, risky, &mut random).replace("\n    ---\n", "\n");
        text.push('\n');
        calls += &format!("    part{k}();\n");
    }
    text += &format!("int main(void) {{\n{calls}    return 0;\n}}\n");
    Generated { text, planted }
}

/// Returns the number of positions for a fault in a part.
fn choices(part: &str) -> u64 {
    pieces(part).iter().filter(|piece| matches!(piece, Piece::Choice(..))).count() as u64
}

enum Piece<'a> {
    Text(&'a str),
    Choice(&'a str, &'a str),
}

/// Splits a part at its choices `[[fine||faulty]]`. Both sides may contain balanced brackets.
fn pieces(part: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut rest = part;
    while let Some(start) = rest.find("[[") {
        // `a[[[n||m]]]` is an index around a choice.
        let start = if rest[start..].starts_with("[[[") { start + 1 } else { start };
        all.push(Piece::Text(&rest[..start]));
        let inside = &rest[start + 2..];
        let (mut depth, mut middle, mut end) = (0i32, None, inside.len());
        let bytes = inside.as_bytes();
        for i in 0..bytes.len() {
            match bytes[i] {
                b'[' => depth += 1,
                b']' if depth > 0 => depth -= 1,
                b']' if bytes.get(i + 1) == Some(&b']') => {
                    end = i;
                    break;
                }
                b'|' if middle.is_none() && bytes.get(i + 1) == Some(&b'|') => middle = Some(i),
                _ => {}
            }
        }
        let middle = middle.expect("a choice has two sides");
        all.push(Piece::Choice(&inside[..middle], &inside[middle + 2..end]));
        rest = &inside[end + 2..];
    }
    all.push(Piece::Text(rest));
    all
}

/// Resolves every choice. The one at `site` becomes faulty, all others fine.
fn plant(part: &str, site: Option<u64>) -> String {
    let mut index = 0;
    pieces(part)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Choice(fine, faulty) => {
                index += 1;
                if site == Some(index - 1) { faulty } else { fine }
            }
        })
        .collect()
}

/// Fills the holes of a part.
fn fill(part: &str, k: usize, risky: bool, random: &mut Random) -> String {
    let n = 2 + random.below(3);
    let bound = if risky { n + random.below(3) - 1 } else { n };
    let types = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long"];
    let (t, u) = (random.one(&types), random.one(&types));
    let mut text = String::new();
    let mut rest = part;
    while let Some(at) = rest.find('$') {
        text += &rest[..at];
        match rest.as_bytes().get(at + 1) {
            Some(b'K') => text += &k.to_string(),
            Some(b'N') => text += &n.to_string(),
            Some(b'B') => text += &bound.to_string(),
            Some(b'T') => text += t,
            Some(b'U') => text += u,
            Some(b'F') => text += random.one(&["__VERIFIER_nondet_int()", "__VERIFIER_nondet_uint()"]),
            Some(b'G') => text += random.one(INPUTS),
            Some(b'E') => text += &expression(random, 2),
            Some(b'Q') => text += &random.one(CONDITIONS).replace('@', random.one(&INPUTS[..6])),
            other => panic!("no hole {other:?}"),
        }
        rest = &rest[at + 2..];
    }
    text + rest
}

/// Returns an integer expression over inputs, without undefined behaviour that ends an execution.
fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(3) {
            0 => random.one(&["0", "1", "-1", "3", "255", "0x7fffffff", "-128", "65536"]).to_owned(),
            _ => random.one(INPUTS).to_owned(),
        };
    }
    let (a, b) = (expression(random, depth - 1), expression(random, depth - 1));
    match random.below(14) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} & {b})"),
        3 => format!("({a} | {b})"),
        4 => format!("({a} ^ {b})"),
        5 => format!("({a} << ({b} & 7))"),
        6 => format!("({a} >> ({b} & 7))"),
        7 => format!("({a} < {b})"),
        8 => format!("({a} ? {b} : 2)"),
        9 => format!("~{a}"),
        10 => format!("(unsigned char)({a})"),
        11 => format!("(short)({a} * 3)"),
        12 => format!("({a} && {b})"),
        _ => format!("((unsigned char)({a}) / ((unsigned char)({b}) | 1))"),
    }
}

/// An environment with random inputs, most of them small or boundary values.
struct World(Random);

impl Host for World {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        Some(self.0.next() as u8)
    }

    fn nondet(&mut self, _: Ty, _: Loc) -> Option<u128> {
        let random = &mut self.0;
        Some(match random.below(8) {
            0..=3 => u128::from(random.below(6)),
            4 => (random.below(8) as i128 - 8) as u128,
            5 => [77, 1, 127, 128, 255, 256, 0x7fff_ffff, 0x8000_0000, 1 << 63][random.below(9) as usize],
            6 => u128::from(random.below(300)),
            _ => u128::from(random.next()) << 20 ^ u128::from(random.next()),
        })
    }

    fn allocation_fails(&mut self, _: u64) -> bool {
        false
    }

    fn time(&mut self) -> i64 {
        0
    }

    fn clock(&mut self) -> i64 {
        0
    }
}

/// The outcome for a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// TRUE, and no execution refutes it.
    True,
    /// FALSE, replayed.
    False,
    /// UNKNOWN for a reason of the engine.
    Unknown,
}

const MEMSAFETY: [Property; 3] = [Property::ValidFree, Property::ValidDeref, Property::ValidMemtrack];

/// Verifies the program of a seed and compares the verdict with random executions. `states` limits the work of a search.
///
/// # Errors
/// If a law is broken. The message names the law and contains the program.
pub fn judge(seed: u64, runs: u64, states: u64, engines: Engines) -> Result<Vec<(Fate, bool, String)>, String> {
    let generated = generate(seed);
    let broken = |law: &str| Err(format!("seed {seed}: {law}\n{}", generated.text));
    let target = if seed % 4 < 2 { Target::Lp64 } else { Target::Ilp32 };
    let text = match target {
        Target::Lp64 => generated.text.clone(),
        Target::Ilp32 => generated.text.replace("unsigned long", "unsigned"),
    };
    let compilation = compile(vec![Input { name: format!("seed{seed}.c"), text }], target);
    let Some(program) = compilation.program else {
        return broken(&format!("does not compile: {:?}", compilation.diagnostics.first()));
    };
    let mut fates: Vec<(Fate, bool, String)> = Vec::new();
    for properties in [&MEMSAFETY[..], &[Property::ValidMemcleanup]] {
        // After undefined behaviour, the second property has no meaning.
        if fates.iter().any(|(fate, ..)| *fate != Fate::True) {
            break;
        }
        let task = Task {
            entry: "main".to_owned(),
            properties: properties.to_vec(),
            besides: Vec::new(),
            malloc_fails: false,
            assert_faults: false,
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let settings = Settings { engines, last_round: Some(states), ..Settings::default() };
        let session = Session::new(cancel.clone());
        let setup = Setup::new(&program, task, Goal::FirstAnswer, settings, cancel, session);
        let verdict = match verify(SCHEDULE, &setup) {
            Ok(found) if !found.failures.is_empty() => {
                return broken(&format!("internal errors: {:?}", found.failures));
            }
            Ok(found) => found.verdict,
            Err(error) => return broken(&error),
        };
        let planted = generated.planted;
        match verdict {
            Verdict::True => {
                if planted {
                    return broken("TRUE in spite of the planted fault");
                }
                for run in 0..runs {
                    if let Some(fault) = fault_of_run(&program, properties, seed ^ run << 32) {
                        return broken(&format!("TRUE for {properties:?}, but execution {run} has the fault {fault}"));
                    }
                }
                fates.push((Fate::True, planted, String::new()));
            }
            Verdict::False(violation) => {
                if !violation.property.is_some_and(|property| properties.contains(&property)) {
                    return broken(&format!("FALSE for a fault that was not asked about: {}", violation.fault.kind));
                }
                fates.push((Fate::False, planted, String::new()));
            }
            Verdict::Unknown(reasons) => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                fates.push((Fate::Unknown, planted, reasons.join("; ")));
            }
        }
    }
    Ok(fates)
}

/// Returns the fault that ends a random execution, if it violates one of the properties.
fn fault_of_run(program: &Program, properties: &[Property], seed: u64) -> Option<String> {
    let options = cairn_interpret::Options {
        max_steps: Some(1_000_000),
        leftovers: Some(cairn_interpret::Leftovers::default()),
        assert_faults: false,
        error_faults: false,
        undefined_names_hold_anything: true,
        ..cairn_interpret::Options::default()
    };
    let outcome = cairn_interpret::run(program, &options, &mut World(Random::new(seed))).ok()?;
    let found = match outcome.ending {
        Ending::Fault(fault) => vec![*fault],
        Ending::Exited(_) => outcome.leaks,
        Ending::Aborted | Ending::AssumptionFailed | Ending::OutOfBudget(_) => Vec::new(),
    };
    found
        .into_iter()
        .find(|fault| {
            let lost = fault.kind == CheckKind::Leak && properties.contains(&Property::ValidMemcleanup);
            lost || Property::of(fault.kind).is_some_and(|p| properties.contains(&p))
        })
        .map(|fault| format!("{}: {}", fault.kind, fault.message))
}
