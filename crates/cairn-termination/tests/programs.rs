//! Small programs that end, and others that do not.

use std::sync::Arc;

use cairn_frontend::{Input, Options, compile};
use cairn_ir::layout::Target;
use cairn_termination::prove;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);\n";

/// Returns whether the body of a `main` is proved to end.
fn ends(body: &str) -> bool {
    let text = format!("{HEAD}int main(void) {{ int n = __VERIFIER_nondet_int(); int i = 0; {body} return 0; }}\n");
    let input = Input { name: "a.c".to_owned(), text };
    let compilation = compile(vec![input], Options::from(Target::Lp64));
    let program = compilation.program.unwrap_or_else(|| panic!("{body}: {:?}", compilation.diagnostics));
    let main = program.function_named("main").expect("the program has a main");
    prove(&program, &[main], &Arc::default()).is_ok()
}

#[test]
fn programs_that_end_are_proved() {
    for body in [
        "",
        "while (i < n) i++;",
        "while (n > 0) n /= 2;",
        "do n--; while (n > 0);",
        "for (unsigned u = 3; u != n; u++);",
        "while (i < n) { i++; while (i < n && __VERIFIER_nondet_int()) i++; }",
        "for (i = 0; i < n; i++) for (int j = 0; j < n; j++);",
        "char a[10]; for (char *p = a; p != a + 10; p++) *p = 0;",
        "int *p = __builtin_alloca(sizeof n); *p = n; while (*p > 0) *p = *p - 1;",
        "while (n != 0) if (n > 0) n--; else n++;",
        "unsigned u = __VERIFIER_nondet_uint(); if (u) while (u < 1000) u *= 2;",
        "again: if (i < n) { i++; goto again; }",
    ] {
        assert!(ends(body), "{body}");
    }
}

/// Signed numbers that end a loop by an overflow do not count: C does not define the execution from there.
#[test]
fn others_are_not() {
    for body in [
        "for (;;);",
        "while (i < n) { i++; n++; }",
        "do i--; while (i < 5);",
        "for (unsigned u = 10; u >= 0; u--);",
        "for (unsigned u = 0; u != n; u += 2);",
        "for (char c = 0; c <= 127; c++);",
        "while (n > 0) n -= __VERIFIER_nondet_int();",
        "while (i < n) { if (__VERIFIER_nondet_int()) i++; }",
        "while (i < n) { i++; while (i > 0 && __VERIFIER_nondet_int()) i--; }",
        "int *p = &i; while (i < 10) { i++; *p = 0; }",
        "int *p = __builtin_alloca(4), *q = p; *p = n; while (*p > 0) { *p = *p - 1; *q = *q + 1; }",
        "unsigned u = __VERIFIER_nondet_uint(); while (u < 1000) u *= 2;",
        "goto in; while (i < 10) { i++; in: if (__VERIFIER_nondet_int()) i = 0; }",
    ] {
        assert!(!ends(body), "{body}");
    }
}
