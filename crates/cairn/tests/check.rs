//! Tests of `cairn check`: violations, proofs, undecided checks, and output formats.

mod support;

use std::path::Path;

use cairn_ir::CheckKind;
use support::tasks::SMALL;
use support::{SAFETY_NET, Said, cairn, cairn_check, check_all, finish, programs, reports, sample, scratch};

/// Checks a program in a folder of its own. Its file is called `a.c`.
fn check(test: &str, text: &str, options: &[&str]) -> Said {
    let folder = scratch(&format!("check-{test}"));
    std::fs::write(folder.join("a.c"), text).expect("the scratch folder is writable");
    let safety_net: &[&str] = if options.contains(&"--time-limit") { &[] } else { &SAFETY_NET };
    finish(cairn().current_dir(&folder).arg("check").args(safety_net).args(options).arg("a.c"))
}

const NONDET: &str = "extern int __VERIFIER_nondet_int(void);\n";

#[test]
fn the_search_continues_after_a_violation() {
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
fn a_violation_on_many_paths_is_reported_once() {
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
fn a_correct_program_is_proved() {
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
fn allocations_fail_with_malloc_fails() {
    let text =
        "#include <stdlib.h>\nint main(void) {\n    int *p = malloc(4);\n    *p = 1;\n    free(p);\n    return 0;\n}\n";
    assert_eq!(check("allocation", text, &[]).status, 0);
    let said = check("allocation-fails", text, &["--malloc-fails"]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("null-deref".to_owned(), 4)]), "{}", said.stdout);
}

/// `realloc(p, 0)` frees the object and returns null, or returns a new object: a program must be correct with both.
#[test]
fn realloc_to_no_bytes_has_two_behaviours() {
    let program = |last: &str| {
        format!(
            "#include <stdlib.h>\nint main(void) {{\n    char *p = malloc(4);\n    char *q = realloc(p, 0);\n    {last}\n    return 0;\n}}\n"
        )
    };
    for (test, last, any, glibc) in [
        // The new object, if there is one, stays.
        ("lost", "(void)q;", vec![("unfreed", 4)], vec![]),
        // The old object is freed in both cases.
        ("gone", "free(p);", vec![("double-free", 5)], vec![("double-free", 5)]),
        // The old object is also freed if the result is null.
        ("null", "if (!q) *p = 1; free(q);", vec![("use-after-free", 5)], vec![("use-after-free", 5)]),
        ("new", "if (q) *q = 1; free(q);", vec![("out-of-bounds", 5)], vec![]),
        ("both", "free(q);", vec![], vec![]),
    ] {
        for (option, expected) in [("any", any), ("glibc", glibc)] {
            let said = check(&format!("realloc-{test}-{option}"), &program(last), &["--realloc-zero", option]);
            let mut found = reports(&said.stdout, "a.c");
            found.sort();
            let expected: Vec<_> = expected.iter().map(|&(name, line)| (name.to_owned(), line)).collect();
            assert_eq!(found, expected, "{last} with {option}:\n{}{}", said.stdout, said.stderr);
            assert_eq!(said.status, i32::from(!expected.is_empty()), "{}{}", said.stdout, said.stderr);
        }
    }
    assert_eq!(check("realloc-default", &program("(void)q;"), &[]).status, 1);
}

/// Memory that only variables of `main` hold at the end is `unfreed`, unless code runs after `main`.
#[test]
fn memory_that_main_holds_is_unfreed() {
    let report = |test: &str, body: &str| {
        let text = format!("#include <stdlib.h>\nstatic void last(void) {{}}\nint main(void) {{\n{body}\n}}\n");
        reports(&check(test, &text, &[]).stdout, "a.c").into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(report("main-holds", "char *p = malloc(1), **q = &p; **q = 1; return 0;"), ["unfreed"]);
    assert_eq!(report("main-loses", "char *p = malloc(1); p = 0; return 0;"), ["leak"]);
    assert_eq!(report("main-left-scope", "{ char *p = malloc(1); *p = 1; } return 0;"), ["leak"]);
    assert_eq!(report("main-registers", "atexit(last); char *p = malloc(1); *p = 1; return 0;"), ["leak"]);
    let scope = "#include <stdlib.h>\nstatic int *kept;\nstatic void last(void) { *kept = 1; }\nint main(void) { int x; atexit(last); kept = &x; return 0; }\n";
    assert_eq!(reports(&check("main-ended", scope, &[]).stdout, "a.c"), [("use-after-scope".to_owned(), 3)]);
}

#[test]
fn failed_assertions_and_unfreed_memory_are_violations() {
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
fn arguments_are_inputs_unless_they_are_given() {
    let text = "#include <string.h>\nint main(int argc, char **argv) {\n    char name[4];\n    if (argc == 3)\n        strcpy(name, argv[2]);\n    return 0;\n}\n";
    let folder = scratch("check-arguments");
    std::fs::write(folder.join("a.c"), text).expect("the scratch folder is writable");
    let check = |arguments: &[&str]| finish(cairn_check().current_dir(&folder).arg("a.c").args(arguments));
    let said = check(&["--work-limit", "20000"]);
    assert_eq!(reports(&said.stdout, "a.c"), [("out-of-bounds".to_owned(), 5)], "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("`main` is called with argc = 3, argv = {\""), "{}", said.stdout);
    let said = check(&["--", "x", "four"]);
    assert!(said.stdout.contains("argv = {\"program\", \"x\", \"four\"}"), "{}{}", said.stdout, said.stderr);
    assert_eq!(said.status, 1, "{}", said.stdout);
    for arguments in [&["--", "x", "yes"][..], &["--", "x", ""], &["--", "1", "2", "long enough"], &["--", "only"]] {
        let said = check(arguments);
        assert_eq!(said.status, 0, "{arguments:?}: {}{}", said.stdout, said.stderr);
    }
    std::fs::write(folder.join("library.c"), "int f(int n) { return n; }\n").expect("the scratch folder is writable");
    let said = finish(cairn_check().current_dir(&folder).args(["library.c", "--", "x"]));
    assert_eq!(said.status, 3, "{}{}", said.stdout, said.stderr);
}

#[test]
fn checks_after_an_undefined_function_rest_on_an_assumption() {
    let text = "extern void log_event(const char *);\nextern int measure(int);\nint table[8];\nstatic int early(int n) { return table[n & 7]; }\nint main(void) {\n    int x = early(3);\n    log_event(\"start\");\n    if (x)\n        log_event(\"end\");\n    int i = measure(x);\n    if (i >= 0 && i < 8)\n        x = table[i];\n    return x;\n}\n";
    let said = check("assuming", text, &[]);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let expected = " checks proved (9 assuming that `log_event` only returns and that `measure` only returns)\n";
    assert!(said.stdout.ends_with(expected), "{}", said.stdout);
    let said = check("assuming-json", text, &["--format", "json"]);
    assert!(said.stdout.contains("\"assuming\":9,"), "{}", said.stdout);
    assert!(said.stdout.contains("\"assumptions\":[\"`log_event` only returns\","), "{}", said.stdout);
    // A violation needs no assumption, because the environment may behave like this.
    let said = check("assuming-violated", &text.replace("i < 8", "i < 9"), &[]);
    assert_eq!(reports(&said.stdout, "a.c"), [("out-of-bounds".to_owned(), 12)], "{}", said.stdout);
}

#[test]
fn an_undefined_function_may_initialise_its_arguments() {
    let text = "struct size { int rows, columns; };\nextern int measure(struct size *);\nint main(void) {\n    int table[8] = {0};\n    struct size size;\n    if (measure(&size))\n        return 1;\n    if (size.rows < 0 || size.rows > 7)\n        return 2;\n    return table[size.rows];\n}\n";
    let said = check("out-parameter", text, &[]);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let said = check("out-parameter-large", &text.replace("rows > 7", "rows > 8"), &[]);
    assert_ne!(said.status, 0, "{}", said.stdout);
    let said = check("no-out-parameter", &text.replace("measure(&size)", "measure(0)"), &[]);
    assert_eq!(reports(&said.stdout, "a.c"), [("uninitialised".to_owned(), 8)], "{}", said.stdout);
}

#[test]
fn undecided_checks_have_a_reason() {
    // A square is a sum of odd numbers. No engine infers this relation.
    let endless = format!(
        "{NONDET}#include <assert.h>\nint main(void) {{\n    unsigned n = 0, square = 0;\n    \
         while (__VERIFIER_nondet_int()) square += 2 * n++ + 1;\n    assert(square == n * n);\n    return 0;\n}}\n"
    );
    for (option, value, reason) in [("--work-limit", "4000", "out of budget"), ("--time-limit", "1", "out of time")] {
        let said = check("endless", &endless, &[option, value]);
        assert_eq!(said.status, 2, "{}", said.stdout);
        assert!(said.stdout.contains(&format!("  unknown because: {reason}\n")), "{}", said.stdout);
    }

    // Checks after an alarm are proved, and the report says where the alarm is.
    let partly = format!(
        "{NONDET}#include <assert.h>\nint main(void) {{\n    int a[4] = {{0}};\n    unsigned n = 0, square = 0;\n    \
         while (__VERIFIER_nondet_int()) square += 2 * n++ + 1;\n    assert(square == n * n);\n    return a[n & 3];\n}}\n"
    );
    let said = check("partly", &partly, &["--work-limit", "3000"]);
    assert!(said.stdout.contains(" checks proved, 1 unknown\n"), "{}", said.stdout);
    assert!(said.stdout.contains("  unknown at a.c:7: assertion\n"), "{}", said.stdout);
    assert!(said.stdout.contains("    help: give more work with `--work-limit STATES`\n"), "{}", said.stdout);
    let said = check("listed", &endless, &["--work-limit", "20", "--unknown"]);
    assert!(said.stdout.contains("  unknown at a.c:6: assertion\n"), "{}", said.stdout);

    let endless_with_a_bug = format!(
        "{NONDET}int main(void) {{\n    unsigned n = 0;\n    int *p = 0;\n    while (__VERIFIER_nondet_int()) n++;\n    return *p + n;\n}}\n"
    );
    let said = check("endless-bug", &endless_with_a_bug, &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c")), (1, vec![("null-deref".to_owned(), 6)]), "{}", said.stdout);
    assert!(said.stdout.ends_with("9 of 10 checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
}

/// Returns a program that runs `before`, then builds a list of any length and frees it.
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
fn other_checks_are_proved_despite_a_violation() {
    let text = with_a_list("int digits[10] = {0}, i = __VERIFIER_nondet_int(); if (i >= 0 && i <= 10) digits[i] = 1;");
    let said = check("beside", &text, &[]);
    assert_eq!((said.status, reports(&said.stdout, "a.c").len()), (1, 1), "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
    // A leak is one check of the whole program.
    let text = with_a_list("").replace("free(list);", "if (__VERIFIER_nondet_int()) free(list);");
    let said = check("beside-a-leak", &text, &[]);
    assert_eq!(said.status, 1, "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved, 2 violated\n"), "{}", said.stdout);
    // Nothing is known after a use of freed memory, so that only the first use is reported.
    let text = with_a_list("").replace("free(list);\n", "free(list);\n        next = list->next;\n");
    let said = check("beside-a-use", &text, &[]);
    assert_eq!(reports(&said.stdout, "a.c"), [("use-after-free".to_owned(), 17)], "{}", said.stdout);
    assert!(said.stdout.contains(" checks proved up to the violation, 1 violated\n"), "{}", said.stdout);
}

#[test]
fn executions_without_a_leak_continue_after_the_alarm() {
    // The fourth list is lost, unless it is empty.
    let text = format!(
        "{NONDET}#include <stdlib.h>
struct node {{ struct node *next; }};
static struct node *table[4];
static void lose(void) {{ table[3] = 0; }}
int main(void) {{
    int digits[4], count = 0;
    while (__VERIFIER_nondet_int())
        if (count < 1000) count++;
    while (__VERIFIER_nondet_int()) {{
        int i = __VERIFIER_nondet_int();
        if (i < 0 || i > 3) break;
        struct node *node = malloc(sizeof *node);
        node->next = table[i];
        table[i] = node;
    }}
    for (int i = 0; i < 3; i++)
        while (table[i]) {{
            struct node *next = table[i]->next;
            free(table[i]);
            table[i] = next;
        }}
    lose();
    if (count == 1000)
        digits[count] = 1;
    return 0;
}}
"
    );
    let said = check("leak-or-not", &text, &[]);
    let found = reports(&said.stdout, "a.c");
    assert!(found.contains(&("out-of-bounds".to_owned(), 25)), "{}", said.stdout);
}

#[test]
fn a_shared_item_is_not_proved_to_be_one_per_node() {
    let text = format!(
        "{NONDET}#include <stdlib.h>
struct node {{ struct node *next; int *item; }};
static struct node *push(struct node *list, int *item) {{
    struct node *node = malloc(sizeof *node);
    node->next = list;
    node->item = item;
    return node;
}}
int main(void) {{
    struct node *list = 0;
    int digits[4], i = __VERIFIER_nondet_int(), count = 0;
    if (i == 5) digits[i] = 1;
    while (__VERIFIER_nondet_int()) count++;
    if (count != 1000) {{
        while (__VERIFIER_nondet_int()) list = push(list, malloc(sizeof(int)));
    }} else {{
        int *shared = malloc(sizeof *shared);
        do list = push(list, shared); while (__VERIFIER_nondet_int());
    }}
    while (list) {{
        struct node *next = list->next;
        free(list->item);
        free(list);
        list = next;
    }}
    return 0;
}}
"
    );
    let said = check("shared-item", &text, &["--work-limit", "16000"]);
    let found = reports(&said.stdout, "a.c").contains(&("double-free".to_owned(), 23));
    assert!(found || said.stdout.contains("unknown because: `double-free` at a.c:23"), "{}", said.stdout);
}

#[test]
fn exploring_is_restricted_to_unproved_checks() {
    // The assertion needs a relation that no engine infers. It comes before the list, which has unboundedly many paths.
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
fn invalid_programs_exit_with_3() {
    let said = check("no-c", "int main(void) { return 0 }\n", &[]);
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert!(said.stderr.contains("error"), "{}", said.stderr);
    let said = finish(cairn().args(["check", "no/such/file.c"]));
    assert_eq!((said.status, said.stdout.as_str()), (3, ""));
    assert_eq!(finish(cairn().arg("check")).status, 3);
}

#[test]
fn checks_without_a_property_are_answered() {
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

    // Violations after a use of an uninitialised value are still found on paths without such a use.
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

    // Copying an uninitialised value through a pointer is no fault.
    let copied = "int main(void) {\n    int a, b;\n    int *p = &a;\n    b = *p;\n    *p = b;\n    return 0;\n}\n";
    assert_eq!(check("copied", copied, &[]).status, 0);
    let chosen = format!(
        "{NONDET}int main(void) {{\n    int a, b, *p = &a, c = __VERIFIER_nondet_int();\n    if (c)\n        *p = 1;\n    b = *p;\n    if (c && b)\n        return 1;\n    return 0;\n}}\n"
    );
    assert_eq!(check("chosen", &chosen, &[]).status, 0);
    // The same value is used where it is not set.
    let used = chosen.replace("c && b", "b");
    assert_eq!(reports(&check("used", &used, &[]).stdout, "a.c"), [("uninitialised".to_owned(), 7)]);
    // Uninitialised operands that cancel each other out are no proof.
    let cancelled = "int main(void) {\n    int a, *p = &a;\n    if (*p - *p)\n        return 1;\n    return 0;\n}\n";
    assert_ne!(check("cancelled", cancelled, &[]).status, 0);
}

#[test]
fn state_explosion_ends_at_the_memory_limit() {
    let text = format!(
        "{NONDET}int main(void) {{\n    unsigned x = 1;\n    for (int i = 0; i < 60; i++)\n        if (__VERIFIER_nondet_int())\n            x = 3 * x + i;\n    return x == 0;\n}}\n"
    );
    let limits = ["--memory-limit", "40M"];
    let options = [&limits[..], &["--engine", "explore", "--search-order", "breadth-first"]].concat();
    let said = check("explodes", &text, &options);
    assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("unknown because: out of memory"), "{}", said.stdout);
}

#[test]
fn the_search_order_can_be_chosen() {
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
        (["--merge", "join", "--stop", "sep"], "the engine `prove` is not available in `cairn check`"),
        (["--merge", "join", "--stop", "equal"], "'--stop sep' need the engine `prove`"),
        (["--merge", "sep", "--engine", "prove"], "'--merge sep' and '--stop equal' need"),
    ] {
        let said = check("order-refused", &text, &options);
        assert_eq!((said.status, said.stdout.as_str()), (3, ""));
        assert!(said.stderr.contains(expected), "{}", said.stderr);
    }
}

#[test]
fn findings_as_sarif_and_annotations() {
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
    let line = "::error file=a.c,line=5,col=12,title=use-after-free::read of 1 byte at `*p` after `p` was freed%0Aallocated here: a.c:3:15%0Afreed here: a.c:4:5\n";
    assert!(said.status == 1 && said.stdout.starts_with(line), "{}", said.stdout);
}

#[test]
fn findings_as_json() {
    let text = "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(1);\n    free(p);\n    return *p;\n}\n";
    let said = check("json", text, &["--format", "json"]);
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    for part in [
        "{\"version\":2,\"scope\":{\"kind\":\"program\"},\"findings\":[{\"check\":\"use-after-free\",\"property\":\"valid-deref\",\"message\":\"read of 1 byte",
        "\"stack\":[{\"function\":\"main\",\"file\":\"a.c\",\"line\":5,\"column\":12}]",
        "{\"what\":\"freed here\",\"place\":{\"function\":\"main\",\"file\":\"a.c\",\"line\":4,\"column\":5},\"stack\":[{\"function\":\"main\",\"file\":\"a.c\",\"line\":4,\"column\":5}]}],\"trace\":[",
        "\"violated\":1,\"unknown\":0},\"unknown_because\":[],\"unknown_reasons\":[],\"unknown_checks\":[],\"functions\":[],\"assumptions\":[]}\n",
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
    assert_eq!(said.stdout.lines().count(), 1);
}

#[test]
fn findings_show_the_steps_of_their_trace() {
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
    let said = check("trace", &text, &["--trace", "full"]);
    let expected = "steps to the use-after-free:
   1. a.c:8:13: input is 12
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
      … 2 steps omitted …
  10. a.c:12:21: `i < 3` is false
      | for (int i = 0; i < 3; i++)
  11. a.c:14:5: heap object #1 (12 bytes) is freed
      | free(p);
error[use-after-free]";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
    let said = check("trace-json", &text, &["--format", "json", "--trace", "full"]);
    let step =
        "{\"kind\":\"input\",\"what\":\"input is 12\",\"place\":{\"function\":\"main\",\"file\":\"a.c\",\"line\":8,";
    assert!(said.stdout.contains(step) && said.stdout.contains("{\"left_out\":2}"), "{}", said.stdout);
}

/// A trace shows the assignments that the fault depends on, also through a condition, and no other variables or parts of objects.
#[test]
fn traces_show_only_relevant_assignments() {
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
    let said = check("assignments", text, &["--trace", "full"]);
    let expected = "steps to the null-deref:
  1. a.c:8:9: `n` becomes 3
     | int n = 3, other = 7;
  2. a.c:9:26: heap object #1 (16 bytes) is allocated
     | struct node *first = malloc(sizeof *first);
  3. a.c:9:26: `first` becomes a pointer to heap object #1 (16 bytes)
  4. a.c:11:5: `link` is called with to = a pointer to heap object #1 (16 bytes), next = null
     | link(first, 0);
  5. a.c:5:5: offset 0 of heap object #1 (16 bytes) becomes null
     | to->next = next;
  6. a.c:6:1: `link` returns
     | }
  7. a.c:14:17: `index` becomes 6
     | int index = n * 2;
  8. a.c:15:25: `last` becomes null
     | struct node *last = first->next;
  9. a.c:16:9: `index == 6` is true
     | if (index == 6)
error[null-deref]";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
}

#[test]
fn traces_show_assignments_to_the_condition_of_an_assertion() {
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
    let said = check("assertion-trace", text, &["--trace", "full"]);
    for step in ["`sum` becomes 0\n", "`sum` becomes 6\n"] {
        assert!(said.stdout.contains(step), "{}", said.stdout);
    }
    assert!(!said.stdout.contains("`unused` becomes"), "{}", said.stdout);
}

#[test]
fn long_executions_have_traces() {
    let text = "int main(void) {
    int a[2] = {0}, n = 0;
    for (int i = 0; i < 60000; i++)
        n ^= i & 1;
    int index = n + 2;
    return a[index];
}
";
    let said = check("long", text, &["--trace", "full"]);
    assert_eq!(
        (said.status, reports(&said.stdout, "a.c")),
        (1, vec![("out-of-bounds".to_owned(), 6)]),
        "{}",
        said.stdout
    );
    let end = ": `index` becomes 2\n      | int index = n + 2;\nerror[out-of-bounds]";
    assert!(said.stdout.contains(" steps omitted …") && said.stdout.contains(end), "{}", said.stdout);
}

/// The programs with planted faults are an oracle: a program with a fault is never proved.
#[test]
fn no_proof_contradicts_an_execution() {
    let planted = |file: &Path| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let names: Vec<String> = text.lines().filter_map(|l| l.split_once("//~ ")).map(|(_, n)| n.to_owned()).collect();
        names
    };
    let answered = |name: &str| CheckKind::from_name(name.trim()).is_some_and(|kind| kind != CheckKind::Unsupported);
    check_all(&sample(support::c_files(&programs("run")), 2), |file| {
        let names = planted(file);
        if !names.iter().any(|name| answered(name)) {
            return Ok(());
        }
        let requested = names.iter().any(|name| name.trim() == "overflow").then_some("--overflow");
        let said = finish(cairn_check().args(["-w", "--work-limit", SMALL]).args(requested).arg(file));
        match said.status {
            0 => Err(format!("has {names:?} and is called proved\n{}", said.stdout)),
            1 | 2 => Ok(()),
            status => Err(format!("status {status}\n{}", said.stderr)),
        }
    });
}

/// A proof for callers that meet a contract is worth something only if the contract says all that the proof rests on.
#[test]
fn proofs_of_library_functions_rest_on_what_their_contracts_say() {
    let text = "#include <stdlib.h>\n\
        struct node { struct node *next; int v; };\n\
        struct word { unsigned long address; int n; };\n\
        int before(int *a) { return a[-1] / a[0]; }\n\
        int far(char *a) { int r = a[1 << 20]; *(volatile int *)0 = 1; return r; }\n\
        int number(long p) { return *(int *)p; }\n\
        int member(struct word *w) { return *(int *)w->address; }\n\
        int frees(struct node *a) { int v = a->v; free(a); return v; }\n\
        int writes(const int *a) { *(int *)a = 1; return 0; }\n\
        int reads(const int *a) { return *a; }\n";
    let said = check("requirements", text, &["-w", "--library", "--unknown"]);
    let proofs: Vec<&str> = said.stdout.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    for name in ["before", "far", "number", "member"] {
        assert!(!proofs.iter().any(|line| line.starts_with(&format!("{name}: "))), "{name}:\n{}", said.stdout);
    }
    for proof in [
        "frees: 9 of 9 checks proved for callers with: (a ↦ struct node ∧ allocated(a))",
        "writes: 6 of 6 checks proved for callers with: (a ↦ const int ∧ writable(a))",
        "reads: 6 of 6 checks proved for callers with: a ↦ const int",
    ] {
        assert!(proofs.contains(&proof), "{proof}:\n{}", said.stdout);
    }
}

/// Callers may have left the C library and the variables of the file in any state.
#[test]
fn proofs_of_library_functions_do_not_rest_on_the_state_at_the_start() {
    let text = "#include <errno.h>\n#include <unistd.h>\n\
        #define BAD (*(volatile int *)0 = 1)\n\
        static int n;\nstatic int *const writes_n = &n;\n\
        void set(void) { *writes_n = 5; }\n\
        int through_initialiser(void) { if (n == 5) BAD; return 0; }\n\
        static int m;\nstatic int *table[2] = { 0, &m };\nint **give(void) { return table; }\n\
        int through_table(void) { if (m == 5) BAD; return 0; }\n\
        int error(void) { if (errno) BAD; return 0; }\n\
        int option(void) { if (optind == 3) BAD; return 0; }\n\
        static int kept;\nint never_written(void) { if (kept) BAD; return 0; }\n";
    let said = check("state", text, &["-w", "--library", "--unknown"]);
    let is_proved = |name: &str| said.stdout.lines().any(|line| line.starts_with(&format!("  {name}: 7 of 7")));
    for name in ["through_initialiser", "through_table", "error", "option"] {
        let all = said.stdout.lines().find_map(|line| line.strip_prefix(&format!("  {name}: ")));
        let is_whole = all.is_some_and(|all| all.split(' ').next() == all.split(' ').nth(2));
        assert!(!is_whole, "{name}:\n{}", said.stdout);
    }
    assert!(is_proved("never_written"), "{}", said.stdout);
}

/// A declaration in another file does not enlarge a variable.
#[test]
fn definitions_decide_the_size_of_variables() {
    let folder = scratch("check-sizes");
    for (name, text) in [
        ("a.c", "extern int a[10];\nint main(void) { a[7] = 1; return 0; }\n"),
        ("b.c", "int a[5] = {1, 2, 3, 4, 5};\n"),
    ] {
        std::fs::write(folder.join(name), text).expect("the scratch folder is writable");
    }
    for files in [["a.c", "b.c"], ["b.c", "a.c"]] {
        let said = finish(cairn().current_dir(&folder).args(["check", "-w"]).args(files));
        assert_eq!(reports(&said.stdout, "a.c"), [("out-of-bounds".to_owned(), 2)], "{files:?}: {}", said.stdout);
    }
}

/// The year of any time that a clock shows fits an int, so that `localtime` returns no null pointer.
#[test]
fn dates_of_clocks_are_valid() {
    let program = |most: &str| {
        format!(
            "#include <assert.h>\n#include <time.h>\nint main(void) {{\n    time_t now = time(0);\n    \
             assert(now >= -1 && now <= {most});\n    return 0;\n}}\n"
        )
    };
    let said = check("dates", &program("253402300799"), &[]);
    assert_eq!(said.status, 0, "{}", said.stdout);
    let said = check("dates-earlier", &program("253402300798"), &[]);
    assert_eq!(reports(&said.stdout, "a.c"), [("assertion".to_owned(), 5)], "{}", said.stdout);
}

/// Returns the findings of `check` on a program that opens a file in the function `use`, of which the text is the body.
fn files(test: &str, body: &str) -> (Vec<support::Report>, String) {
    let text = format!(
        "#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
static FILE *kept;
static int use(const char *path) {{ {body} }}
int main(void) {{ return use(\"file\") ? 1 : 0; }}
"
    );
    let said = check(&format!("files-{test}"), &text, &[]);
    (reports(&said.stdout, "a.c"), said.stdout)
}

#[test]
fn streams_and_folders_that_are_lost_are_file_leaks() {
    let faults = [
        ("ignored", "return !fopen(path, \"r\");"),
        ("error", "FILE *f = fopen(path, \"r\"); if (!f) return 1; if (fgetc(f) == EOF) return 2; return fclose(f);"),
        ("reused", "FILE *f = fopen(path, \"r\"); f = fopen(path, \"w\"); return f ? fclose(f) : 1;"),
        ("folder", "DIR *d = opendir(path); return d && readdir(d) != NULL;"),
        ("command", "FILE *f = popen(path, \"r\"); return f && fgetc(f) == EOF;"),
        ("aborts", "FILE *f = fopen(path, \"r\"); f = 0; abort();"),
    ];
    for (test, body) in faults {
        let (found, text) = files(test, body);
        let expected: Vec<support::Report> = vec![("file-leak".to_owned(), 5)];
        assert_eq!(found, expected, "{test}: {text}");
    }
}

#[test]
fn streams_that_are_closed_or_held_are_no_file_leaks() {
    let fine = [
        ("closed", "FILE *f = fopen(path, \"r\"); if (!f) return 1; int c = fgetc(f); fclose(f); return c;"),
        ("global", "kept = fopen(path, \"r\"); return !kept;"),
        ("exits", "FILE *f = fopen(path, \"r\"); if (f) exit(2); return 0;"),
        (
            "folder-closed",
            "DIR *d = opendir(path); if (!d) return 1; int is_empty = !readdir(d); closedir(d); return is_empty;",
        ),
        ("command-closed", "FILE *f = popen(path, \"r\"); if (!f) return 1; return pclose(f);"),
    ];
    for (test, body) in fine {
        let (found, text) = files(test, body);
        assert_eq!(found, [], "{test}: {text}");
        assert!(!text.contains("file-leak"), "{test}: {text}");
    }
}

#[test]
fn streams_that_are_used_after_they_were_closed_are_reported() {
    let faults = [
        ("read", "use-after-free", "FILE *f = fopen(path, \"r\"); if (!f) return 1; fclose(f); return fgetc(f);"),
        ("twice", "use-after-free", "FILE *f = fopen(path, \"r\"); if (!f) return 1; fclose(f); return fclose(f);"),
        ("freed", "invalid-free", "FILE *f = fopen(path, \"r\"); free(f); return 0;"),
        ("folder", "use-after-free", "DIR *d = opendir(path); if (!d) return 1; closedir(d); return closedir(d);"),
    ];
    for (test, kind, body) in faults {
        let (found, text) = files(&format!("used-{test}"), body);
        let expected: Vec<support::Report> = vec![(kind.to_owned(), 5)];
        assert_eq!(found, expected, "{test}: {text}");
    }
}

#[test]
fn the_search_continues_after_a_leak() {
    let program = |index: &str| {
        format!(
            "{NONDET}#include <stdlib.h>
static int lose(int value) {{
    int *object = malloc(sizeof *object);
    *object = value;
    return *object;
}}
int main(void) {{
    int array[4] = {{0}}, i = __VERIFIER_nondet_int();
    lose(i);
    if (i < 0 || i > 3)
        return 1;
    return array[{index}];
}}
"
        )
    };
    let said = check("after-leak", &program("i + 1"), &["--allow-unfreed"]);
    let expected = [("leak", 4), ("out-of-bounds", 13)].map(|(name, line)| (name.to_owned(), line));
    assert_eq!(reports(&said.stdout, "a.c"), expected, "{}", said.stdout);
    for options in [&["--allow-unfreed"][..], &["--allow-unfreed", "--engine", "explore"]] {
        let said = check("after-leak-fine", &program("i"), options);
        assert_eq!(reports(&said.stdout, "a.c"), [("leak".to_owned(), 4)], "{}", said.stdout);
        assert!(!said.stdout.contains("unknown"), "{}", said.stdout);
    }
}
