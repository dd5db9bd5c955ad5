//! Limits and faults: whatever the input and the system do, a command ends with a clear line and the right exit code.
//!
//! `docs/limits.md` has the table, and `scripts/limits` shows the rows that need large inputs or long times.

mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Said, cairn, finish, said, scratch};

const MAIN: &str = "int main(void) { return 0; }\n";

/// A program with a violation, and with a loop whose states no engine comes to the end of.
const ENDLESS: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
struct node { struct node *a, *b; unsigned v; };
int main(void) {
  if (__VERIFIER_nondet_uint() == 7) { int *p = 0; *p = 1; }
  struct node *h = 0, *t = 0;
  for (;;) {
    struct node *x = malloc(sizeof *x);
    if (!x) continue;
    x->v = __VERIFIER_nondet_uint();
    if (x->v * x->v == 3 * x->v + 1234567u) { x->a = h; h = x; } else { x->a = t; t = x; }
    x->b = __VERIFIER_nondet_uint() ? h : t;
    if (h && h->b && h->b->a && h->b->a->v == x->v + 1) { x->b->v = 3; h->b->a = t; }
    while (t && t->b && t->v < x->v) t = t->b;
  }
}
";

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("the target folder is writable");
    file
}

/// Runs `cairn dump --ir` on a text, which reads the program and nothing more.
fn read(name: &str, text: impl AsRef<[u8]>) -> Said {
    let file = write(&scratch(&format!("limits-{}", name.replace('.', "-"))), name, text);
    finish(cairn().args(["dump", "--ir"]).arg(file))
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = 100_000;
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(deep), close.repeat(deep));
    let in_main = |text: String| format!("int main(void) {{ int x = 1; {text} return 0; }}\n");
    for (name, text) in [
        ("parentheses", in_main(format!("x = {};", nested("(", "1", ")")))),
        ("blocks", in_main(nested("{", "", "}"))),
        ("loops", in_main(nested("while (x) ", ";", ""))),
        ("conditions", in_main(nested("if (x) ", ";", ""))),
        ("operators", in_main(format!("x = {};", nested("-~", "x", "")))),
        ("casts", in_main(format!("x = {};", nested("(int)", "x", "")))),
        ("calls", format!("int f(int x);\n{}", in_main(format!("x = {};", nested("f(", "x", ")"))))),
        ("statement expressions", in_main(format!("x = {};", nested("({", "1;", ";})")))),
        ("generic selections", in_main(format!("x = {};", nested("_Generic(1, int: ", "1", ")")))),
        ("pointers", format!("int {};\n{MAIN}", nested("*", "p", ""))),
        ("arrays", format!("int p{};\n{MAIN}", nested("", "", "[1]"))),
        ("declarators", format!("int {};\n{MAIN}", nested("(", "p", ")"))),
        ("function pointers", format!("int {};\n{MAIN}", nested("(*", "p", ")(void)"))),
        ("structs", format!("{};\n{MAIN}", nested("struct { ", "int x;", "} f;"))),
        ("initialisers", format!("int a = {};\n{MAIN}", nested("{", "1", "}"))),
        ("types of types", format!("int x; {} y;\n{MAIN}", nested("__typeof__(", "x", ")"))),
        ("long expressions", in_main(format!("x = x{};", nested("", "", " + x + x")))),
    ] {
        let said = read("deep.i", text);
        assert_eq!(said.status, 3, "{name}: {}", said.stderr);
        let first = said.stderr.lines().next().unwrap_or_default();
        assert!(first.contains("deeper than") || first.contains("chain of more than"), "{name}: {first}");
    }
}

#[test]
fn long_chains_are_read() {
    let chain = |count: usize, link: &dyn Fn(usize) -> String| (1..count).map(link).collect::<String>();
    for (name, text) in [
        ("sums", format!("int main(void) {{ int x = 1; return x{}; }}\n", " + x".repeat(50_000))),
        ("typedefs", format!("typedef int t0;\n{}{MAIN}", chain(50_000, &|i| format!("typedef t{} *t{i};\n", i - 1)))),
        (
            "structs",
            format!(
                "struct s0 {{ int x; }};\n{}{MAIN}",
                chain(50_000, &|i| format!("struct s{i} {{ struct s{} f; }};\n", i - 1))
            ),
        ),
        ("variables", format!("{}{MAIN}", chain(100_000, &|i| format!("int g{i};\n")))),
        ("a string", format!("char s[] = \"{}\";\n{MAIN}", "a".repeat(10_000_000))),
        ("a name", format!("int {};\n{MAIN}", "a".repeat(10_000_000))),
    ] {
        let said = read("long.i", text);
        assert_eq!(said.status, 0, "{name}: {}", said.stderr);
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    for bytes in [b"int main(void) { \0 return 0; }".as_slice(), b"int \xff\xfe = 1;", b"\xff\xfe\0\0", b"\0"] {
        let said = read("bytes.i", bytes);
        assert_eq!(said.status, 3);
        assert!(said.stderr.contains("error: "), "{}", said.stderr);
        assert!(!said.stderr.contains('\0'));
    }
    // A constant of a megabyte is not repeated in the message.
    let said = read("constant.i", format!("int x = {};\n{MAIN}", "1".repeat(1_000_000)));
    assert_eq!(said.status, 3);
    assert!(said.stderr.len() < 10_000, "{} bytes", said.stderr.len());
}

#[test]
fn large_files_are_refused() {
    let file = scratch("limits-large").join("large.i");
    // The file has holes and takes no space.
    File::create(&file).and_then(|file| file.set_len(1 << 30)).expect("the target folder is writable");
    let said = finish(cairn().args(["check"]).arg(&file));
    assert_eq!(said.status, 3);
    assert_eq!(said.stderr, format!("error: cannot read '{}': larger than 256 MiB\n", file.display()));
}

#[cfg(unix)]
#[test]
fn inclusions_without_an_end_are_an_error() {
    let folder = scratch("limits-include");
    let file = write(&folder, "loop.c", "#include \"loop.c\"\nint main(void) { return 0; }\n");
    let said = finish(cairn().args(["check"]).arg(&file));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("nested depth") && said.stderr.lines().count() < 15, "{}", said.stderr);
    // Nobody writes to the pipe, so that only the time limit ends the preprocessor.
    let pipe = folder.join("pipe.h");
    finish(Command::new("mkfifo").arg(&pipe));
    let file = write(&folder, "pipe.c", "#include \"pipe.h\"\nint main(void) { return 0; }\n");
    let said = finish(cairn().args(["check", "--time-limit", "1"]).arg(&file));
    assert_eq!(said.status, 2);
    assert_eq!(said.stderr, format!("error: cannot preprocess '{}': out of time\n", file.display()));
    let property = write(&folder, "p.prp", "CHECK( init(main()), LTL(G valid-deref) )\n");
    let options = ["svcomp", "--data-model", "LP64", "--time-limit", "1", "--property"];
    let said = finish(cairn().args(options).args([&property, &file]));
    assert_eq!((said.status, said.stdout.as_str()), (2, "UNKNOWN(out of time)\n"));
}

/// Starts a command, and waits until it handles the signals.
fn start(command: &mut Command) -> Child {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command can be started");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok());
        if caught.is_none_or(|mask| mask & (1 << 1) != 0) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Sends a signal and returns the output of the process.
fn signal(name: &str, child: Child) -> Said {
    let id = child.id().to_string();
    finish(Command::new("kill").args(["-s", name, &id]));
    said(child.wait_with_output().expect("the process was started"))
}

#[cfg(target_os = "linux")]
#[test]
fn signals_end_with_the_partial_result() {
    let folder = scratch("limits-signals");
    let file = write(&folder, "endless.i", ENDLESS);
    // A slow machine needs more time until the violation is found.
    let found = (0..6).any(|attempt| {
        let child = start(cairn().args(["check", "--time-limit", "600"]).arg(&file));
        std::thread::sleep(Duration::from_millis(500 << attempt));
        let said = signal("INT", child);
        assert!(said.stdout.contains("interrupted"), "{}{}", said.stdout, said.stderr);
        assert!(said.status == 1 || said.status == 2, "{}", said.status);
        said.status == 1 && said.stdout.contains("null-deref")
    });
    assert!(found, "no violation in the partial result");
    let property = write(&folder, "p.prp", "CHECK( init(main()), LTL(G valid-memtrack) )\n");
    let options = ["svcomp", "--data-model", "LP64", "--property"];
    let said = signal("TERM", start(cairn().args(options).args([&property, &file])));
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(said.stdout.starts_with("UNKNOWN(interrupted"), "{}", said.stdout);
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_is_reported_with_a_reproducer_and_the_others_go_on() {
    let folder = scratch("limits-panic");
    let file = write(&folder, "safe.i", MAIN);
    let said = finish(cairn().arg("check").arg(&file).env("CAIRN_PLANT_PANIC", "1").env("TMPDIR", &folder));
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("error: internal error in `planted`: planted panic at "), "{}", said.stderr);
    let report = said.stderr.split('\'').nth(1).expect("the message names the folder");
    let text = std::fs::read_to_string(Path::new(report).join("report.txt")).expect("the report was written");
    assert!(text.contains("Panic: planted panic"), "{text}");
    assert_eq!(std::fs::read_to_string(Path::new(report).join("1-safe.i")).expect("the input is there"), MAIN);
    // Without another engine that answers, a panic is no answer.
    let endless = write(&folder, "endless.i", ENDLESS);
    let options = ["check", "--engine", "explore", "--work-limit", "1"];
    let said = finish(cairn().args(options).arg(&endless).env("CAIRN_PLANT_PANIC", "1").env("TMPDIR", &folder));
    assert!(said.status == 3 || said.status == 1, "{}{}", said.stdout, said.stderr);
    // A report that cannot be written is no second fault.
    let said = finish(cairn().arg("check").arg(&file).env("CAIRN_PLANT_PANIC", "1").env("TMPDIR", "/dev/null"));
    assert!(said.stderr.contains("please report it (cannot write a report: not a directory)"), "{}", said.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_that_cannot_be_written_are_failures() {
    let folder = scratch("limits-outputs");
    let file = write(&folder, "safe.i", MAIN);
    let hello = write(&folder, "hello.i", "int puts(const char *s); int main(void) { puts(\"hello\"); return 0; }\n");
    let (file, hello) = (file.display().to_string(), hello.display().to_string());
    for arguments in [
        vec!["check", &file],
        vec!["check", "--format", "json", &file],
        vec!["run", &hello],
        vec!["dump", "--ir", &file],
        vec!["explain"],
        vec!["--help"],
        vec!["--version"],
    ] {
        let full = File::options().write(true).open("/dev/full").expect("Linux has this device");
        let said = said(cairn().args(&arguments).stdout(full).output().expect("the command can be started"));
        assert_eq!(said.status, 3, "{arguments:?}");
        assert_eq!(said.stderr, "error: cannot write to standard output: no space left on device\n", "{arguments:?}");
    }
    // A pipe that nobody reads ends the command quietly.
    let mut child =
        cairn().args(["dump", "--ir", &file]).stdout(Stdio::piped()).spawn().expect("the command can be started");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("the process was started").code(), Some(141));
    let property = write(&folder, "p.prp", "CHECK( init(main()), LTL(G valid-deref) )\n").display().to_string();
    for witness in ["/dev/full", "/no-such-folder/w.yml"] {
        let said = finish(cairn().args([
            "svcomp",
            "--data-model",
            "LP64",
            "--property",
            &property,
            "--witness",
            witness,
            &file,
        ]));
        assert_eq!((said.status, said.stdout.as_str()), (3, "TRUE\n"), "{}", said.stderr);
        assert!(said.stderr.starts_with(&format!("error: cannot write '{witness}': ")), "{}", said.stderr);
    }
}
