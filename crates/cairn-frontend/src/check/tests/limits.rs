//! Tests on long chains and large initialisers, which must finish in reasonable time and stack.

use super::run;
use cairn_ir::layout::Target;

/// Checks on a thread with the front-end's stack size, and drops the trees there.
fn messages(text: String) -> String {
    let thread = std::thread::Builder::new()
        .stack_size(crate::limits::STACK_SIZE / 4)
        .spawn(move || run(&text, Target::Lp64).messages());
    thread.expect("a thread").join().expect("no panic")
}

#[test]
fn chains_of_ten_thousand_operators() {
    let count = 10_000;
    let sum = format!("int f(int a) {{ return a{}; }}", " + a".repeat(count));
    let constant = format!("int x = 1{};", " + 1".repeat(count));
    let commas = format!("int f(int a) {{ return (a{}); }}", ", a".repeat(count));
    let ands = format!("int f(int a) {{ return a{}; }}", " && a".repeat(count));
    let elses = format!("int f(int a) {{ {} return 0; }}", "if (a == 1) a++; else ".repeat(count));
    let assigns = format!("int f(int a) {{ return {}1; }}", "a = ".repeat(5_000));
    let conditionals = format!("int f(int a) {{ return {}1; }}", "a ? 1 : ".repeat(5_000));
    for text in [sum, constant, commas, ands, elses, assigns, conditionals] {
        assert_eq!(messages(text), "");
    }
}

#[test]
fn large_initialisers() {
    let entries: String = (0..20_000).map(|i| format!("{{{i}, {i}}}, ")).collect();
    assert_eq!(messages(format!("struct {{ int a, b; }} t[] = {{ {entries} }};")), "");
    assert_eq!(
        messages("char big[1000000] = {[0 ... 999999] = 1, [5] = 2}; struct {} none[1ul << 40] = {1};".to_owned()),
        "1:81 warning: excess elements in array initializer\n"
    );
    assert_eq!(
        messages("char huge[1ul << 40] = {[(1ul << 40) - 1] = 1};".to_owned()),
        "1:6 error: initializer is larger than 1 GiB\n"
    );
}

#[test]
fn empty_elements_consume_no_entry() {
    let text = "char a[][0] = {1, [3] = 2, 3}; struct { struct {} e; int i; } b = {.e = 1, 5}; int c[2][0] = {{}, 4};";
    assert_eq!(
        messages(text.to_owned()),
        "1:16 warning: excess elements in array initializer\n1:73 warning: excess elements in struct initializer\n\
         1:99 warning: excess elements in array initializer\n"
    );
}

#[test]
fn extreme_numbers() {
    let text = "int a[0xffffffffffffffff]; struct { char c[0x7fffffffffffffff]; char d[0x7fffffffffffffff]; } s;
        enum { E = 0x7fffffffffffffffffffffffffffffff }; int b = 1 << 200; int x[1 / 0];
        _Alignas(3) int al; int v __attribute__((vector_size(0xffffffffffffffff)));";
    let messages = messages(text.to_owned());
    assert!(messages.contains("array is too large"), "{messages}");
    assert!(messages.contains("requested alignment is not a power of 2"), "{messages}");
}
