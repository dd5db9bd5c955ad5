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
    assert!(said.stdout.contains(" checks proved up to the violations, 2 violated\n"), "{}", said.stdout);
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
    let (count, rest) = said.stdout.split_once(" of ").expect("a summary");
    assert_eq!(rest, format!("{count} checks proved\n"));
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
    // A square is a sum of odd numbers: a relation that no engine looks for.
    let endless = format!(
        "{NONDET}#include <assert.h>\nint main(void) {{\n    unsigned n = 0, square = 0;\n    \
         while (__VERIFIER_nondet_int()) square += 2 * n++ + 1;\n    assert(square == n * n);\n    return 0;\n}}\n"
    );
    let started = std::time::Instant::now();
    let said = check("endless", &endless, &["--time-limit", "1"]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stdout.contains("  unknown because: out of time\n"), "{}", said.stdout);
    assert!(started.elapsed().as_secs() < 30);

    let undefined = "int other(int);\nint main(void) {\n    int a[2] = {0};\n    return a[other(1) & 1];\n}\n";
    let said = check("undefined", undefined, &[]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stdout.contains("unknown because: `other` is not defined"), "{}", said.stdout);

    let endless_with_a_bug = format!(
        "{NONDET}int main(void) {{\n    unsigned n = 0;\n    int *p = 0;\n    while (__VERIFIER_nondet_int()) n++;\n    return *p + n;\n}}\n"
    );
    let said = check("endless-bug", &endless_with_a_bug, &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("null-deref".to_owned(), 6)]), "{}", said.stdout);
    assert!(said.stdout.ends_with("8 of 9 checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
}

/// A list of any length is built and freed after what is given.
fn with_a_list(before: &str) -> String {
    format!(
        "{NONDET}#include <stdlib.h>
#include <assert.h>
struct node {{ struct node *next; int value; }};
int main(void) {{
    {before}
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {{
        struct node *node = malloc(sizeof *node);
        node->value = 1;
        node->next = list;
        list = node;
    }}
    while (list) {{
        struct node *next = list->next;
        free(list);
        list = next;
    }}
    return 0;
}}
"
    )
}

#[test]
fn the_rest_is_proved_beside_a_violation() {
    let text = with_a_list("int digits[10] = {0}, i = __VERIFIER_nondet_int(); if (i >= 0 && i <= 10) digits[i] = 1;");
    let said = check("beside", &text, &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c").len()), (1, 1), "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
    // Losing a node is one check of the whole program.
    let text = with_a_list("").replace("free(list);", "if (__VERIFIER_nondet_int()) free(list);");
    let said = check("beside-a-leak", &text, &[]);
    assert_eq!(said.status, 1, "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved, 2 violated\n"), "{}", said.stdout);
    // A pointer to freed memory is one thing that is wrong after another: behind the first nothing is known.
    let text = with_a_list("").replace("free(list);\n", "free(list);\n        next = list->next;\n");
    let said = check("beside-a-use", &text, &[]);
    assert_eq!(reports(&said.stdout, "a.c"), [("use-after-free".to_owned(), 17)], "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
}

#[test]
fn what_a_proof_leaves_open_is_explored_without_the_rest() {
    // The assertion needs a relation that no engine looks for, but comes before the list, whose paths have no end.
    let squares = "unsigned n = 0, square = 0;
    for (int i = 0; i < 4; i++)
        if (__VERIFIER_nondet_int())
            square += 2 * n++ + 1;
    assert(square == n * n);";
    let said = check("open", &with_a_list(squares), &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (0, vec![]), "{}", said.stdout);
    let said = check("open-violated", &with_a_list(&squares.replace("== n * n", "!= 16")), &[]);
    assert_eq!(reports(&said.stdout, "a.c"), [("assertion".to_owned(), 10)], "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
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
fn checks_that_belong_to_no_property_are_answered() {
    let text = format!(
        "{NONDET}#include <string.h>
int main(void) {{
    int n = __VERIFIER_nondet_int(), set;
    char text[8] = \"abcdefg\";
    if (n == 1)
        return 7 / (n - 1);
    if (n == 2)
        memcpy(text + 1, text, 3);
    if (n == 3)
        set = n;
    if (n > 3 && set)
        return 1;
    return 0;
}}
"
    );
    let said = check("besides", &text, &[]);
    let expected = [("division-by-zero", 7), ("overlap", 9), ("uninitialised", 12)];
    let expected = expected.map(|(name, line)| (name.to_owned(), line));
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, expected.to_vec()), "{}", said.stdout);

    let pointer = "int main(void) {\n    int *p;\n    *p = 1;\n    return 0;\n}\n";
    let said = check("pointer", pointer, &[]);
    assert_eq!(
        (said.status, reports(&said.stdout, "a.c")),
        (1, vec![("uninitialised".to_owned(), 3)]),
        "{}",
        said.stdout
    );

    // What is behind a use of an uninitialised value is still found on the paths that have none.
    let behind = format!(
        "{NONDET}int main(void) {{\n    int a[2] = {{0}}, x;\n    int n = __VERIFIER_nondet_int();\n    if (n == 5)\n        x = 1;\n    if (x)\n        n++;\n    return a[n - 4];\n}}\n"
    );
    let said = check("behind", &behind, &[]);
    let found = reports(&said.stdout, "a.c");
    assert!(found.contains(&("uninitialised".to_owned(), 7)), "{}", said.stdout);
    assert!(found.contains(&("out-of-bounds".to_owned(), 9)), "{}", said.stdout);

    let printed = "#include <stdio.h>\nint main(void) {\n    int n;\n    printf(\"%d\\n\", n);\n    return 0;\n}\n";
    let said = check("printed", printed, &[]);
    assert_eq!(
        (said.status, reports(&said.stdout, "a.c")),
        (1, vec![("uninitialised".to_owned(), 4)]),
        "{}",
        said.stdout
    );

    // A value that is read and never decides anything is no fault, but what becomes of it is not followed.
    let copied = "int main(void) {\n    int a, b;\n    int *p = &a;\n    b = *p;\n    *p = b;\n    return 0;\n}\n";
    assert_ne!(check("copied", copied, &[]).status, 1);
}

#[test]
fn a_program_that_explodes_ends_within_its_memory() {
    let text = format!(
        "{NONDET}int main(void) {{\n    unsigned x = 1;\n    for (int i = 0; i < 60; i++)\n        if (__VERIFIER_nondet_int())\n            x = 3 * x + i;\n    return x == 0;\n}}\n"
    );
    let options = ["--memory-limit", "40M", "--time-limit", "300", "--search-order", "breadth-first"];
    let said = check("explodes", &text, &options);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("unknown because: out of memory"), "{}", said.stdout);
}

#[test]
fn the_order_of_the_search_can_be_chosen() {
    let text = format!(
        "{NONDET}int main(void) {{\n    int a[3] = {{0}}, n = 0;\n    while (n < 3 && __VERIFIER_nondet_int())\n        n++;\n    return a[n];\n}}\n"
    );
    for order in ["breadth-first", "depth-first", "loop-bounded"] {
        let said =
            check(&format!("order-{order}"), &text, &["--search-order", order, "--merge", "sep", "--stop", "equal"]);
        let expected = (1, vec![("out-of-bounds".to_owned(), 6)]);
        assert_eq!((said.status, reports(&said.stdout, "a.c")), expected, "{}", said.stdout);
    }
    for (options, expected) in [
        (["--merge", "join", "--stop", "sep"], "`check` looks for violations"),
        (["--merge", "join", "--stop", "equal"], "proving with --merge join and --stop sep"),
        (["--merge", "sep", "--engine", "prove"], "exploring goes with --merge sep"),
    ] {
        let said = check("order-refused", &text, &options);
        assert_eq!((said.status, said.stdout.as_str()), (3, ""));
        assert!(said.stderr.contains(expected), "{}", said.stderr);
        assert_eq!(said.stderr.lines().count(), 1);
    }
}

#[test]
fn findings_are_for_code_scanning_when_asked_for() {
    let text = "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(1);\n    free(p);\n    return *p;\n}\n";
    let said = check("sarif", text, &["--format", "sarif"]);
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    for part in [
        "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"cairn\",",
        "\"results\":[{\"ruleId\":\"use-after-free\",\"ruleIndex\":1,\"level\":\"error\",\"message\":{\"text\":\"read of 1 byte",
        "\"artifactLocation\":{\"uri\":\"a.c\"},\"region\":{\"startLine\":5,\"startColumn\":12}}",
        "\"message\":{\"text\":\"freed here\"}",
        "\"codeFlows\":[{\"threadFlows\":[{\"locations\":[{\"location\":",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    let said = check("github", text, &["--format", "github"]);
    let line = "::error file=a.c,line=5,col=12,title=use-after-free::read of 1 byte at offset 0 of heap object #1 (1 byte) after it was freed%0Aallocated here: a.c:3:15%0Afreed here: a.c:4:5\n";
    assert!(said.status == 1 && said.stdout.starts_with(line), "{}", said.stdout);
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
   1. a.c:8:13: the input is 12
      | int n = __VERIFIER_nondet_int();
   2. a.c:8:13: `n` becomes 12
   3. a.c:9:9: `n != 12` is false
      | if (n != 12)
   4. a.c:11:14: `make` is called with n = 12
      | int *p = make(n);
   5. a.c:4:14: heap object #1 (12 bytes) is allocated
      | int *p = malloc(n);
   6. a.c:4:14: `p` becomes a pointer to heap object #1 (12 bytes)
   7. a.c:5:5: `make` returns a pointer to heap object #1 (12 bytes)
      | return p;
   8. a.c:11:14: `p` becomes a pointer to heap object #1 (12 bytes)
      | int *p = make(n);
   9. a.c:12:21: `i < 3` is true
      | for (int i = 0; i < 3; i++)
      … 2 steps left out …
  10. a.c:12:21: `i < 3` is false
      | for (int i = 0; i < 3; i++)
  11. a.c:14:5: heap object #1 (12 bytes) is freed
      | free(p);
error[use-after-free]";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
    let said = check("trace-json", &text, &["--format", "json"]);
    let step = "{\"kind\":\"input\",\"what\":\"the input is 12\",\"place\":{\"function\":\"main\",\"file\":\"a.c\",\"line\":8,";
    assert!(said.stdout.contains(step) && said.stdout.contains("{\"left_out\":2}"), "{}", said.stdout);
}

/// What is shown of assignments is what the fault comes from: neither other variables nor other parts of an object.
#[test]
fn assignments_that_matter_are_shown_and_others_are_not() {
    let text = "#include <stdlib.h>
struct node { struct node *next; int value; };
int total;
static void link(struct node *to, struct node *next) {
    to->next = next;
}
int main(void) {
    int n = 3, other = 7;
    struct node *first = malloc(sizeof *first);
    first->value = n;
    link(first, 0);
    other += n;
    total = other;
    int index = n * 2;
    struct node *last = first->next;
    if (index == 6)
        last->value = total;
    free(first);
    return 0;
}
";
    let said = check("assignments", text, &[]);
    let expected = "steps to the null-deref:
  1. a.c:9:26: heap object #1 (16 bytes) is allocated
     | struct node *first = malloc(sizeof *first);
  2. a.c:9:26: `first` becomes a pointer to heap object #1 (16 bytes)
  3. a.c:11:5: `link` is called with to = a pointer to heap object #1 (16 bytes), next = null
     | link(first, 0);
  4. a.c:5:5: offset 0 of heap object #1 (16 bytes) becomes null
     | to->next = next;
  5. a.c:6:1: `link` returns
     | }
  6. a.c:15:25: `last` becomes null
     | struct node *last = first->next;
  7. a.c:16:9: `index == 6` is true
     | if (index == 6)
error[null-deref]";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
}

#[test]
fn an_assertion_shows_what_its_condition_comes_from() {
    let text = "#include <assert.h>
int main(void) {
    int limit = 4, unused = 9, sum = 0;
    for (int i = 0; i < limit; i++)
        sum += i;
    unused = sum;
    assert(sum != 6);
    return 0;
}
";
    let said = check("assertion-trace", text, &[]);
    for step in ["`sum` becomes 0\n", "`sum` becomes 6\n"] {
        assert!(said.stdout.contains(step), "{}", said.stdout);
    }
    assert!(!said.stdout.contains("`unused` becomes"), "{}", said.stdout);
}

#[test]
fn long_runs_have_traces_too() {
    let text = "int main(void) {
    int a[2] = {0}, n = 0;
    for (int i = 0; i < 60000; i++)
        n ^= i & 1;
    int index = n + 2;
    return a[index];
}
";
    let said = check("long", text, &["--time-limit", "300"]);
    assert_eq!(
        (said.status, reports(&said.stdout, "a.c")),
        (1, vec![("out-of-bounds".to_owned(), 6)]),
        "{}",
        said.stdout
    );
    let end = ": `index` becomes 2\n      | int index = n + 2;\nerror[out-of-bounds]";
    assert!(said.stdout.contains(" steps left out …") && said.stdout.contains(end), "{}", said.stdout);
}

/// The programs with planted faults are an oracle: one that a run shows can't be denied.
#[test]
fn no_proof_contradicts_a_run() {
    let planted = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let names: Vec<String> = text.lines().filter_map(|l| l.split_once("//~ ")).map(|(_, n)| n.to_owned()).collect();
        names
    };
    let answered = |name: &str| CheckKind::from_name(name.trim()).is_some_and(|kind| kind != CheckKind::Unsupported);
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
