//! `cairn check`: what it finds, what it proves, what it leaves open, and how it says so.

mod support;

use std::path::Path;

use cairn_ir::CheckKind;
use support::{Said, cairn, check_all, finish, programs, reports, scratch};

/// Checks a program of this text in a folder of its own; the file is called `a.c`.
fn check(test: &str, text: &str, options: &[&str]) -> Said {
    let folder = scratch(&format!("check-{test}"));
    std::fs::write(folder.join("a.c"), text).expect("the scratch folder is writable");
    finish(cairn().current_dir(&folder).arg("check").args(options).arg("a.c"))
}

const NONDET: &str = "extern int __VERIFIER_nondet_int(void);\n";

#[test]
fn the_search_goes_on_after_a_violation() {
    let text = format!(
        "{NONDET}#include <stdlib.h>
int main(void) {{
    int a[4] = {{0}};
    int *p = malloc(sizeof *p);
    int i = __VERIFIER_nondet_int();
    if (i == 7) {{
        free(p);
        free(p);
    }} else if (i > 100) {{
        return a[4];
    }} else {{
        free(p);
    }}
    return 0;
}}
"
    );
    let said = check("several", &text, &[]);
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    let expected = [("double-free", 9), ("out-of-bounds", 11)].map(|(name, line)| (name.to_owned(), line));
    assert_eq!(reports(&said.stdout, "a.c"), expected, "{}", said.stdout);
    assert!(said.stdout.contains(" checks: 2 violated, "), "{}", said.stdout);
    assert_eq!(said.stderr, "");
}

#[test]
fn a_mistake_is_told_once_however_many_paths_lead_there() {
    let text = format!(
        "{NONDET}int main(void) {{
    int a[2] = {{0}}, n = 0;
    for (int i = 0; i < 5; i++)
        if (__VERIFIER_nondet_int())
            n++;
    return a[n];
}}
"
    );
    let said = check("once", &text, &[]);
    assert_eq!(
        (said.status, reports(&said.stdout, "a.c")),
        (1, vec![("out-of-bounds".to_owned(), 7)]),
        "{}",
        said.stdout
    );
}

#[test]
fn a_program_without_mistakes_is_proved() {
    let text = format!(
        "{NONDET}#include <assert.h>
#include <stdlib.h>
int main(void) {{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n >= 4)
        return 0;
    int *p = calloc(4, sizeof *p);
    p[n] = n;
    assert(p[n] == n);
    free(p);
    return 0;
}}
"
    );
    let said = check("proved", &text, &[]);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{}", said.stdout);
    let (count, rest) = said.stdout.split_once(" checks: ").expect("a summary");
    assert_eq!(rest, format!("{count} proved\n"));
}

#[test]
fn allocations_fail_when_they_may() {
    let text =
        "#include <stdlib.h>\nint main(void) {\n    int *p = malloc(4);\n    *p = 1;\n    free(p);\n    return 0;\n}\n";
    assert_eq!(check("allocation", text, &[]).status, 0);
    let said = check("allocation-fails", text, &["--malloc-fails"]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("null-deref".to_owned(), 4)]), "{}", said.stdout);
}

#[test]
fn failed_assertions_and_what_is_left_are_violations() {
    let text = "#include <assert.h>\nint main(int argc, char **argv) {\n    int i = 3;\n    assert(i == 4);\n}\n";
    let said = check("assertion", text, &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("assertion".to_owned(), 4)]), "{}", said.stdout);
    let text = "#include <stdlib.h>\nint *kept;\nint main(void) {\n    kept = malloc(4);\n    return 0;\n}\n";
    let said = check("unfreed", text, &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("unfreed".to_owned(), 4)]), "{}", said.stdout);
    let said = check("unfreed-allowed", text, &["--allow-unfreed"]);
    assert_eq!(said.status, 0, "{}", said.stdout);
}

#[test]
fn what_is_not_decided_says_why() {
    let endless = format!(
        "{NONDET}int main(void) {{\n    unsigned n = 0;\n    while (__VERIFIER_nondet_int()) n++;\n    return n;\n}}\n"
    );
    let started = std::time::Instant::now();
    let said = check("endless", &endless, &["--time-limit", "1"]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stdout.contains(" unknown\n  unknown because: out of time\n"), "{}", said.stdout);
    assert!(started.elapsed().as_secs() < 30);

    let undefined = "int other(int);\nint main(void) {\n    int a[2] = {0};\n    return a[other(1) & 1];\n}\n";
    let said = check("undefined", undefined, &[]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stdout.contains("unknown because: `other` is not defined"), "{}", said.stdout);

    let endless_with_a_bug = format!(
        "{NONDET}int main(void) {{\n    unsigned n = 0;\n    int *p = 0;\n    while (__VERIFIER_nondet_int()) n++;\n    return *p + n;\n}}\n"
    );
    let said = check("endless-bug", &endless_with_a_bug, &["--time-limit", "1"]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("null-deref".to_owned(), 6)]), "{}", said.stdout);
    assert!(said.stdout.contains("unknown because: out of time"), "{}", said.stdout);
}

#[test]
fn what_can_not_be_checked_is_no_answer() {
    let said = check("library", "int twice(int x) { return 2 * x; }\n", &[]);
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert!(said.stderr.contains("there is no `main`"), "{}", said.stderr);
    let said = check("no-c", "int main(void) { return 0 }\n", &[]);
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert!(said.stderr.contains("error"), "{}", said.stderr);
    let said = finish(cairn().args(["check", "no/such/file.c"]));
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert_eq!(finish(cairn().arg("check")).status, 3);
}

#[test]
fn findings_are_json_when_asked_for() {
    let text = "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(1);\n    free(p);\n    return *p;\n}\n";
    let said = check("json", text, &["--format", "json"]);
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    for part in [
        "{\"version\":1,\"findings\":[{\"check\":\"use-after-free\",\"property\":\"valid-deref\",\"message\":\"read of 1 byte",
        "\"stack\":[{\"function\":\"main\",\"file\":\"a.c\",\"line\":5,\"column\":12}]",
        "{\"what\":\"freed here\",\"stack\":[{\"function\":\"main\",\"file\":\"a.c\",\"line\":4,\"column\":5}]}],\"trace\":[",
        "\"violated\":1,\"unknown\":0},\"unknown_because\":[]}\n",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    assert_eq!(said.stdout.lines().count(), 1);
}

#[test]
fn a_finding_shows_the_steps_that_lead_there() {
    let text = format!(
        "{NONDET}#include <stdlib.h>
static int *make(int n) {{
    int *p = malloc(n);
    return p;
}}
int main(void) {{
    int n = __VERIFIER_nondet_int();
    if (n != 12)
        return 0;
    int *p = make(n);
    for (int i = 0; i < 3; i++)
        p[i] = 0;
    free(p);
    return *p;
}}
"
    );
    let said = check("trace", &text, &[]);
    let expected = "steps to the use-after-free:
  1. a.c:8:13: the value is 12
     | int n = __VERIFIER_nondet_int();
  2. a.c:9:9: what begins here is false
     | if (n != 12)
  3. a.c:11:14: `make` is called with n = 12
     | int *p = make(n);
  4. a.c:4:14: a heap object of 12 bytes is allocated
     | int *p = malloc(n);
  5. a.c:5:5: `make` returns a pointer to a heap object of 12 bytes
     | return p;
  6. a.c:12:21: what begins here is true
     | for (int i = 0; i < 3; i++)
     … 2 steps left out …
  7. a.c:12:21: what begins here is false
     | for (int i = 0; i < 3; i++)
  8. a.c:14:5: a heap object of 12 bytes is freed
     | free(p);
error[use-after-free]";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
    let said = check("trace-json", &text, &["--format", "json"]);
    let step = "{\"kind\":\"input\",\"what\":\"the value is 12\",\"place\":{\"function\":\"main\",\"file\":\"a.c\",\"line\":8,";
    assert!(said.stdout.contains(step) && said.stdout.contains("{\"left_out\":2}"), "{}", said.stdout);
}

/// The programs with planted faults are an oracle: one that a run shows can't be denied.
#[test]
fn no_proof_contradicts_a_run() {
    let planted = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let names: Vec<String> = text.lines().filter_map(|l| l.split_once("//~ ")).map(|(_, n)| n.to_owned()).collect();
        names
    };
    let answered = |name: &str| {
        let kind = CheckKind::from_name(name.trim());
        kind.and_then(cairn_engine::verdict::Property::of).is_some()
    };
    check_all(&support::c_files(&programs("run")), |file| {
        let names = planted(file);
        if !names.iter().any(|name| answered(name)) {
            return Ok(());
        }
        let said = finish(cairn().args(["check", "-w", "--time-limit", "5"]).arg(file));
        match said.status {
            0 => Err(format!("has {names:?} and is called proved\n{}", said.stdout)),
            1 | 2 => Ok(()),
            status => Err(format!("status {status}\n{}", said.stderr)),
        }
    });
}
