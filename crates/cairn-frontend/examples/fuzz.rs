//! Mutation fuzzing of the front-end and the IR parser: neither may panic or hang.
//!
//! `cargo run --release -p cairn-frontend --example fuzz -- ROUNDS SEED PATH…` collects the `.i` and `.c` files below
//! the paths and mutates them: bytes, tokens, lines, splices between files, deep nesting. Each round compiles one
//! result under a random data model. If it compiles, the round also parses a mutated text form of its IR. A round that
//! panics or takes more than two seconds is reported with its seed. Its text is written to `fuzz-SEED.c` in the current
//! folder. The exit status is 1 if any round failed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;

/// The time limit of a round, generous enough for a loaded machine.
const TOO_LONG: Duration = Duration::from_secs(2);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(rounds), Some(seed)) = (parse(&args, 0), parse(&args, 1)) else {
        eprintln!("usage: fuzz ROUNDS SEED PATH…");
        std::process::exit(3);
    };
    let mut files = Vec::new();
    for path in &args[2..] {
        collect(Path::new(path), &mut files);
    }
    files.sort();
    let texts: Vec<String> = files.iter().filter_map(|f| std::fs::read_to_string(f).ok()).collect();
    if texts.is_empty() {
        eprintln!("fuzz: no readable .c or .i file below the paths given");
        std::process::exit(3);
    }
    let work = std::thread::Builder::new().stack_size(1 << 30).spawn(move || fuzz(rounds, seed, &texts));
    let bad = work.expect("a thread can be started").join().expect("each round catches its panics");
    println!("{} passed, {bad} failed", rounds - bad);
    std::process::exit(i32::from(bad > 0));
}

fn parse(args: &[String], index: usize) -> Option<u64> {
    args.get(index)?.parse().ok()
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|e| e == "i" || e == "c") {
        files.push(path.to_owned());
    }
}

fn fuzz(rounds: u64, seed: u64, texts: &[String]) -> u64 {
    std::panic::set_hook(Box::new(|_| {}));
    let mut bad = 0;
    for round in 0..rounds {
        let seed = seed.wrapping_add(round);
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut text = random.pick(texts).clone();
        for _ in 0..1 + random.below(4) {
            text = mutate(&text, texts, &mut random);
        }
        let target = if random.below(2) == 0 { Target::Ilp32 } else { Target::Lp64 };
        let begin = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let compilation = compile(vec![Input { name: "fuzz.c".to_owned(), text: text.clone() }], target);
            if let Some(program) = compilation.program {
                let printed = cairn_ir::print::print(&program);
                let again = cairn_ir::parse::parse(&printed).map(|p| cairn_ir::print::print(&p));
                assert_eq!(again.as_deref(), Ok(printed.as_str()), "the text form is read back");
                let _ = cairn_ir::parse::parse(&mutate(&printed, std::slice::from_ref(&printed), &mut random));
            }
        }));
        let elapsed = begin.elapsed();
        if outcome.is_err() || elapsed > TOO_LONG {
            bad += 1;
            let what = if outcome.is_err() { "panic" } else { "slow" };
            println!("seed {seed}: {what} after {:.2} s", elapsed.as_secs_f64());
            if let Err(error) = std::fs::write(format!("fuzz-{seed}.c"), &text) {
                println!("seed {seed}: can't keep the text: {error}");
            }
        }
    }
    bad
}

/// A xorshift generator: the same seed gives the same texts on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Fragments of C that tend to cause trouble in odd contexts.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "&&",
    "?",
    ":",
    "...",
    "=",
    ".",
    "->",
    "++",
    "#",
    "\"",
    "'",
    "\\",
    "/*",
    "//",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "inline",
    "const",
    "int",
    "char",
    "long",
    "unsigned",
    "float",
    "void",
    "sizeof",
    "typeof",
    "__auto_type",
    "_Generic",
    "_Static_assert",
    "__attribute__((packed))",
    "__attribute__((aligned(16)))",
    "goto",
    "switch",
    "case",
    "default",
    "for",
    "while",
    "do",
    "return",
    "break",
    "continue",
    "if",
    "else",
    "asm(\"\")",
    "({",
    "})",
    "0",
    "1",
    "-1",
    "0x7fffffffffffffff",
    "0xffffffffffffffffffffffffffffffff",
    "1e999",
    "0x1p-16445",
    "'\\x'",
    "L\"\\u1234\"",
    "a[1ULL<<62]",
    "int f(void){",
    "struct s { struct s x; }",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "__int128",
    "_Complex",
    ": 33",
    "= {[0 ... 1000000000] = 1}",
    "[n]",
    "(int[]){1,2}",
    "#pragma pack(1)\n",
    "# 1 \"x\"\n",
    "/0",
    "%0",
    "<<99",
    "1.0L",
    "nullptr",
];

fn mutate(text: &str, others: &[String], random: &mut Random) -> String {
    let at = boundary(text, random.below(text.len() + 1));
    let end = boundary(text, (at + random.below(40)).min(text.len()));
    match random.below(9) {
        // Delete, duplicate or replace a span, or insert a fragment.
        0 => format!("{}{}", &text[..at], &text[end..]),
        1 => format!("{}{}{}", &text[..end], &text[at..end], &text[end..]),
        2 | 3 => format!("{} {} {}", &text[..at], random.pick(PIECES), &text[end..]),
        4 | 5 => format!("{} {} {}", &text[..at], random.pick(PIECES), &text[at..]),
        // Truncate the text.
        6 => text[..at].to_owned(),
        // Insert a piece of another file.
        7 => {
            let other = random.pick(others);
            let from = boundary(other, random.below(other.len() + 1));
            let to = boundary(other, (from + random.below(400)).min(other.len()));
            format!("{}{}{}", &text[..at], &other[from..to], &text[at..])
        }
        // Nest deeply.
        _ => {
            let piece = random
                .pick(&["(", "{", "[", "*", "-", "!", "((", "if(1)", "1+(", "a[", "struct {", "({", "x?", "f(", "&"]);
            format!("{}{}{}", &text[..at], piece.repeat(1 + random.below(20_000)), &text[at..])
        }
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
