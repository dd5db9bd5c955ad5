//! Tests of the limits on nesting and chains.
//!
//! Deep trees parse, trees beyond the limits give a single error, and nothing overflows the stack.

use super::parse;
use crate::limits::{MAX_LINKS, MAX_NESTING, STACK_SIZE};

/// Parses on a thread with enough stack for the longest chains, drops the tree there, and returns the messages.
fn messages(text: String) -> Vec<String> {
    let run = move || {
        let (unit, _, diagnostics, _) = parse(&text);
        drop(unit);
        diagnostics.into_iter().map(|d| d.message).collect()
    };
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE / 4).spawn(run);
    thread.expect("a thread").join().expect("no panic")
}

fn nested(before: &str, open: &str, middle: &str, close: &str, after: &str, depth: usize) -> String {
    format!("{before}{}{middle}{}{after}", open.repeat(depth), close.repeat(depth))
}

/// Returns one text for each kind of nesting.
fn all_nestings(depth: usize) -> Vec<String> {
    vec![
        nested("int x = ", "(", "1", ")", ";", depth),
        nested("void f() ", "{", ";", "}", "", depth),
        nested("int ", "(", "x", ")", ";", depth),
        nested("int x = ", "{", "1", "}", ";", depth),
        nested("", "struct {", "int x;", "} y;", "", depth),
        nested("int x = ", "-", "1", "", ";", depth),
        nested("int x = ", "!(", "1", ")", ";", depth),
        nested("int x = ", "(int)", "1", "", ";", depth),
        nested("int x = ", "sizeof ", "1", "", ";", depth),
        nested("int x = ", "__extension__ ", "1", "", ";", depth),
        nested("int x = ", "({", "1", ";})", ";", depth),
        nested("int x = ", "f(", "1", ")", ";", depth),
        nested("int x = ", "a[", "1", "]", ";", depth),
        nested("int x = ", "a ? ", "b", " : c", ";", depth),
        nested("int x = ", "_Generic(", "1", ", int: 1)", ";", depth),
        nested("int x = ", "(int){", "1", "}", ";", depth),
        nested("void f() { ", "if (1) ", ";", "", "}", depth),
        nested("void f() { ", "while (1) ", ";", "", "}", depth),
        nested("void f() { ", "for (;;) ", ";", "", "}", depth),
        nested("void f() { ", "do ", ";", " while (1);", "}", depth),
        nested("void f() { ", "switch (1) ", ";", "", "}", depth),
        nested("void f() { ", "if (1) ; else while (1) ", ";", "", "}", depth),
        nested("", "void f() { ", ";", "}", "", depth),
        nested("int f", "(int", "", ")", ";", depth),
        nested("int f", "(int (*)", "", ")", ";", depth),
        nested("", "typeof(", "int", ")", " x;", depth),
        nested("", "_Atomic(", "int", ")", " x;", depth),
        nested("", "enum : ", "int", " {A}", ";", depth),
        nested("int x", "[sizeof(int", "", ")]", ";", depth),
        nested("int x = sizeof(", "struct s __attribute__((a(sizeof(", "int", "))))", ");", depth),
        nested("", "_Alignas(sizeof(struct {", "int x;", "})) int x;", "", depth),
        nested("int x = ", "sizeof(struct { int a[", "1", "]; })", ";", depth),
        nested("int x = ", "__builtin_choose_expr(1, ", "1", ", 1)", ";", depth),
        nested("int x __attribute__((a(", "sizeof(int __attribute__((a(", "1", "))))", ")));", depth),
    ]
}

#[test]
fn deep_nesting_parses() {
    for text in all_nestings(200) {
        assert_eq!(messages(text.clone()), [""; 0], "in {text}");
    }
    assert_eq!(messages(nested("int x = ", "(", "1", ")", ";", MAX_NESTING as usize - 1)), [""; 0]);
    assert_eq!(messages(nested("void f() ", "{", ";", "}", "", MAX_NESTING as usize)), [""; 0]);
}

#[test]
fn too_deep_nesting_is_one_error() {
    for text in all_nestings(20_000) {
        let found = messages(text.clone());
        assert_eq!(found.len(), 1, "{found:?} in {}", &text[..60]);
    }
}

#[test]
fn unclosed_nesting_terminates() {
    for open in [
        "(",
        "{",
        "[",
        "int x = {",
        "void f() {",
        "struct {",
        "f(",
        "if (",
        "a ? ",
        "({",
        "typeof(",
        "int (*",
        "[[",
        "__attribute__((",
    ] {
        for before in ["", "int x = ", "void f() { "] {
            let found = messages(format!("{before}{}", open.repeat(5000)));
            assert!(!found.is_empty() && found.len() <= 101, "{before}{open}: {} errors", found.len());
        }
    }
}

#[test]
fn long_chains_parse() {
    let count = 50_000;
    for text in [
        format!("int x = 1{};", " + 1".repeat(count)),
        format!("int x = 1{};", " || a && b".repeat(count / 2)),
        format!("void f() {{ a{}; }}", ", a".repeat(count)),
        format!("void f() {{ a{}; }}", " = a".repeat(count)),
        format!("int x = a{};", " ? b : c".repeat(count)),
        format!("int x = a{};", "->b".repeat(count)),
        format!("int x = a{};", "()".repeat(count)),
        format!("void f() {{ if (a) b;{} else c; }}", " else if (a) b;".repeat(count)),
        format!("void f() {{ switch (a) {{ {} b; }} }}", "case 1: ".repeat(count)),
        format!("int x[] = {{ {} }};", "1 + 2 + 3,".repeat(count)),
        format!("void f() {{ {} }}", "a + b;".repeat(count)),
        format!("enum {{ {} }};", (0..count).map(|i| format!("A{i} = 1 + 2,")).collect::<String>()),
        format!("struct {{ {} }};", "int a[1 + 2];".repeat(count)),
        format!("int f({} int);", "int a[1 + 2],".repeat(count)),
        format!("void f() {{ g({} 1); }}", "1 + 2,".repeat(count)),
        format!("int {} z;", "a = 1 + 2 + 3,".repeat(count)),
        format!("char *s = {};", "\"a\"".repeat(count)),
    ] {
        assert_eq!(messages(text.clone()), [""; 0], "in {}", &text[..60]);
    }
}

#[test]
fn too_long_chains_are_one_error() {
    let count = MAX_LINKS as usize + 2;
    for text in [
        format!("int x = 1{};", " + 1".repeat(count)),
        format!("void f() {{ if (a) b;{} }}", " else if (a) b;".repeat(count)),
        // Nested chains add up.
        nested("int x = ", "(", "1", &format!("{})", " + 1".repeat(count / 50)), ";", 60),
        nested("int ", "*", "x", "", ";", 20_000),
        nested("int x", "[1]", "", "", ";", 20_000),
    ] {
        assert_eq!(messages(text.clone()).len(), 1, "in {}", &text[..60]);
    }
}

#[test]
fn the_deepest_nesting_needs_little_stack() {
    let run = || {
        for text in [
            nested("int x = ", "(", "1", ")", ";", MAX_NESTING as usize - 1),
            nested("int x = ", "({", "1", ";})", ";", MAX_NESTING as usize / 2 - 1),
            nested("void f() ", "{", ";", "}", "", MAX_NESTING as usize),
        ] {
            assert_eq!(parse(&text).2, []);
        }
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run);
    thread.expect("a thread").join().expect("no error in the texts");
}
