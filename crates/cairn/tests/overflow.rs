//! Tests of the check `overflow`: `cairn run` and UndefinedBehaviorSanitizer find the same first fault in generated programs.

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use support::{cairn, check_all, finish, scratch, skipped};

/// The number of generated programs.
const PROGRAMS: u64 = 24;

/// A generator of pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }
}

const TYPES: &[&str] = &[
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "_Bool",
    "__int128",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "-128",
    "255",
    "32767",
    "-32768",
    "65535",
    "65536",
    "46341",
    "2147483647",
    "(-2147483647 - 1)",
    "4294967295u",
    "9223372036854775807L",
    "(-9223372036854775807L - 1)",
    "18446744073709551615UL",
    "3037000500L",
];

const FLOATS: &[&str] = &[
    "1e10",
    "-1e10",
    "2147483647.5",
    "-2147483648.5",
    "-2147483649.0",
    "4294967296.0",
    "-0.5",
    "3.25",
    "1e20",
    "9.3e18",
    "255.9",
    "-1.0",
];

/// Returns a program with one operation in each line.
///
/// The compiler computes an assignment in a narrower type where that does not change the result. So the results of operations on
/// bit-fields are stored in variables of type long only, and no bit-field is changed.
fn program(seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = String::from("struct { int a : 5; unsigned b : 7; long c : 40; } s = { -3, 100, 549755813887L };\n");
    text.push_str("int main(void)\n{\n    long r = 0;\n");
    for index in 0..6 {
        let ty = random.pick(TYPES);
        let _ = writeln!(text, "    {ty} v{index} = ({ty}){};", random.pick(NUMBERS));
    }
    let _ = writeln!(
        text,
        "    double d = {};\n    float f = {}f;",
        random.pick(FLOATS),
        random.pick(FLOATS).replace('u', "")
    );
    let variables = ["v0", "v1", "v2", "v3", "v4", "v5"];
    let readable = ["v0", "v1", "v2", "v3", "v4", "v5", "s.a", "s.b", "s.c"];
    for _ in 0..14 {
        let (to, a, b) = (random.pick(&variables), random.pick(&readable), random.pick(&readable));
        let op = random.pick(&["+", "-", "*", "+", "-", "*", "/", "%", "<<", ">>", "&"]);
        let guard = if matches!(op, "/" | "%") { format!("if ({b}) ") } else { String::new() };
        let line = match random.below(8) {
            0..3 => format!("{guard}r = {a} {op} {b};"),
            3 => format!("r = -{a};"),
            4 => format!("{to}{};", random.pick(&["++", "--"])),
            5 => format!("{guard}{to} {op}= {b};"),
            6 => format!("{to} = {};", random.pick(&["d", "f"])),
            _ => format!("r = {}{to};", random.pick(&["++", "--"])),
        };
        let _ = writeln!(text, "    {line}");
    }
    text.push_str("    return r == 12345;\n}\n");
    text
}

/// Returns the line that a message names after the name of a file.
fn line_of(said: &str, file: &Path) -> Option<u32> {
    let name = format!("{}:", file.file_name()?.to_string_lossy());
    let rest = &said[said.find(&name)? + name.len()..];
    rest.split(':').next()?.trim().parse().ok()
}

#[test]
fn the_sanitizer_finds_the_same_faults() {
    let folder = scratch("overflow-sanitizer");
    let compile = |file: &Path, to: &Path| {
        let options = ["-w", "-std=gnu11", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"];
        let said = Command::new("cc").args(options).arg(file).arg("-o").arg(to).output();
        said.is_ok_and(|said| said.status.success())
    };
    let simple = folder.join("simple.c");
    std::fs::write(&simple, "int main(void) { return 0; }\n").expect("the scratch folder is writable");
    if !compile(&simple, &folder.join("simple")) {
        return skipped("the_sanitizer_finds_the_same_faults", "cc -fsanitize=undefined does not work");
    }
    let files: Vec<_> = (0..PROGRAMS)
        .map(|seed| {
            let file = folder.join(format!("program{seed}.c"));
            std::fs::write(&file, program(seed)).expect("the scratch folder is writable");
            file
        })
        .collect();
    check_all(&files, |file| {
        let executable = file.with_extension("out");
        if !compile(file, &executable) {
            return Err("does not compile".to_owned());
        }
        let theirs = finish(&mut Command::new(&executable));
        let ours = finish(cairn().args(["run", "-w", "--overflow"]).arg(file));
        let (expected, found) = (line_of(&theirs.stderr, file), line_of(&ours.stderr, file));
        if expected == found {
            return Ok(());
        }
        Err(format!("line {found:?} instead of {expected:?}\n{}\n{}", theirs.stderr, ours.stderr))
    });
}

/// The check is off by default, also for operations on constants, and then programs are the same as without it.
#[test]
fn without_the_option_results_wrap() {
    let folder = scratch("overflow-off");
    let file = folder.join("wraps.c");
    let text =
        "int main(void)\n{\n    int a = 2147483647;\n    int b = a + 1, c = 2147483647 + 1;\n    return b != c;\n}\n";
    std::fs::write(&file, text).expect("the scratch folder is writable");
    let said = finish(cairn().args(["run", "-w"]).arg(&file));
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let said = finish(cairn().args(["dump", "--ir", "-w"]).arg(&file));
    assert!(!said.stdout.contains("fits"), "{}", said.stdout);
    let said = finish(cairn().args(["check", "-w", "--overflow"]).arg(&file));
    assert_eq!(said.status, 1, "{}", said.stdout);
    assert!(said.stdout.contains("error[overflow]"), "{}", said.stdout);
}
