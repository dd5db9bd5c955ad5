//! What lowering makes of small functions, as text.

use cairn_ir::check::{BOUNDS, DEREF};
use cairn_ir::diagnostic::Severity;
use cairn_ir::layout::Target;
use cairn_ir::program::Program;
use expect_test::{Expect, expect};

use crate::{Compilation, Input, compile};

fn compile_units(texts: &[&str]) -> Compilation {
    let inputs = texts
        .iter()
        .enumerate()
        .map(|(index, text)| Input { name: format!("{index}.c"), text: (*text).to_owned() })
        .collect();
    compile(inputs, Target::Lp64)
}

fn program(texts: &[&str]) -> Program {
    let compilation = compile_units(texts);
    match compilation.program {
        Some(program) => program,
        None => panic!("not accepted: {:#?}", compilation.diagnostics),
    }
}

/// The code of function `f`, without registers and places, and with the kinds of the checks instead of their numbers.
fn check(source: &str, expect: Expect) {
    let program = program(&[source]);
    let text = cairn_ir::print::print(&program);
    let mut lines = text.lines().skip_while(|line| !(line.starts_with("function") && line.contains("\"f\"")));
    let mut out = String::new();
    lines.next();
    for line in lines.take_while(|line| *line != "}") {
        if line.starts_with("  reg") || line.starts_with("  params") {
            continue;
        }
        let line = line.split(" @").next().unwrap_or(line);
        let (code, checks) = line.split_once('!').unwrap_or((line, ""));
        out.push_str(code.trim_end());
        let checks: Vec<&str> = checks.split('!').map(str::trim).filter(|run| !run.is_empty()).collect();
        for run in checks {
            out.push_str(" !");
            out.push_str(&kinds(&program, run));
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

/// The kinds of a run of checks (`c3` or `c3..c8`).
fn kinds(program: &Program, run: &str) -> String {
    let number = |id: &str| id.trim_start_matches('c').parse::<usize>().ok();
    let (first, last) = run.split_once("..").unwrap_or((run, run));
    let (Some(first), Some(last)) = (number(first), number(last)) else { return run.to_owned() };
    let kinds: Vec<_> = program.checks[first..=last].iter().map(|check| check.kind).collect();
    if kinds == DEREF {
        return "deref".to_owned();
    }
    if kinds == BOUNDS {
        return "bounds".to_owned();
    }
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(",")
}

#[test]
fn short_circuits_are_branches() {
    check("int f(int a, int b) { if (a > 1 && (b || !a)) return 1; return a < b; }", expect![[r#""#]]);
}

#[test]
fn goto_out_of_and_into_blocks() {
    check(
        "int f(int n) { { int x = n; if (x) goto inside; { int y; inside: y = 2; if (n) goto out; } } out: return n; }",
        expect![[r#""#]],
    );
}

#[test]
fn declarations_that_are_passed_again_forget() {
    check("int f(int n) { again:; int x; int a[2]; if (n--) { x = a[0] = 1; goto again; } return n; }", expect![[r#""#]]);
}

#[test]
fn switch_into_a_loop() {
    check(
        "void f(char *p, int n) { switch (n & 1) { case 0: do { int t = *p; p[1] = t; case 1: p++; } while (--n > 0); } }",
        expect![[r#""#]],
    );
}

#[test]
fn bit_fields() {
    check(
        "struct s { int a : 3; unsigned b : 10; }; int f(struct s *p) { struct s x; x.a = 5; p->b = x.a; return p->b += 3; }",
        expect![[r#""#]],
    );
}

#[test]
fn structs_by_value() {
    check(
        "struct s { int a[4]; }; struct s g(struct s x); int h(struct s);
         struct s f(struct s *p, int c) { struct s x = g(*p); *p = g(x); if (c) return x; return c ? *p : g(x); }",
        expect![[r#""#]],
    );
}

#[test]
fn temporaries_die_with_the_full_expression() {
    check("struct s { int a, b; }; struct s g(void); int f(void) { if (g().a) return g().b; return 0; }", expect![[r#""#]]);
}

#[test]
fn variable_length_arrays() {
    check(
        "int f(int n) { for (;;) { int a[n]; a[0] = n; if (a[1]) break; if (a[2]) continue; } return n; }",
        expect![[r#""#]],
    );
}

#[test]
fn checks_where_something_can_go_wrong() {
    check(
        "int g[3]; struct s { int x, y[2]; };
         int f(int i, int *p, struct s *q) { int a[2]; a[1] = g[2]; a[2] = g[i]; return *p + q->y[i] + a[i] / i + 7 / 2u; }",
        expect![[r#""#]],
    );
}

#[test]
fn cleanup_on_every_way_out() {
    check(
        "void done(int *p); int f(int n) { { __attribute__((cleanup(done))) int x = n; if (x) return x; } return 0; }",
        expect![[r#""#]],
    );
}

#[test]
fn computed_goto() {
    check(
        "int f(int n) { static void *t[] = { &&a, &&b }; { int x = n; goto *t[x]; } a: return 1; { int y; b: y = 2; return y; } }",
        expect![[r#""#]],
    );
}

#[test]
fn increments() {
    check(
        "struct s { unsigned b : 3; }; int f(_Bool t, char c, double d, int **p, struct s *s) {
            t++; t--; c++; d--; (*p)++; return ++s->b + c--; }",
        expect![[r#""#]],
    );
}

#[test]
fn overflow_is_exact() {
    check("int f(unsigned a, long b, int *r) { return __builtin_mul_overflow(a, b, r); }", expect![[r#""#]]);
}

#[test]
fn aggregates_are_zeroed_and_filled() {
    check(
        "int f(int i) { struct { char s[6]; int a[20]; short b; } x = { \"hi\", { [2 ... 15] = i }, 7 }; return x.a[i]; }",
        expect![[r#""#]],
    );
}

#[test]
fn library_calls_become_intrinsics() {
    check(
        "void *malloc(unsigned long); void free(void *); void *memcpy(void *, const void *, unsigned long);
         double sqrt(double); void abort(void); _Bool __VERIFIER_nondet_bool(void);
         int f(int n) { char *p = memcpy(malloc(n), &n, 4); if (__VERIFIER_nondet_bool()) abort(); free(p); return sqrt(n); }",
        expect![[r#""#]],
    );
}

#[test]
fn variable_arguments() {
    check(
        "int f(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int x = __builtin_va_arg(ap, int);
         __builtin_va_end(ap); return x; }",
        expect![[r#""#]],
    );
}

#[test]
fn statement_expressions() {
    check("int f(int n) { return ({ int t = n * 2; t; }) + ({ if (n) return 5; n; }); }", expect![[r#""#]]);
}

#[test]
fn symbols_are_linked_by_name() {
    let first = "int shared; extern int other; static int own = 1; int two(void); int main(void) { return two() + shared + own + other; }";
    let second = "int shared = 5; static int own = 2; int two(void) { return own + shared; } int other = 3;";
    let program = program(&[first, second]);
    let globals: Vec<(&str, &[u8])> = program.globals.iter().map(|g| (g.name.as_str(), g.bytes.as_slice())).collect();
    let names: Vec<&str> = globals.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.iter().filter(|name| **name == "shared").count(), 1, "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "own").count(), 2, "{names:?}");
    assert!(globals.contains(&("shared", &[5, 0, 0, 0])), "{globals:?}");
    assert!(program.globals.iter().all(|g| g.defined));
    assert!(program.functions.iter().all(|f| f.body.is_some()));
}

#[test]
fn two_definitions_are_an_error_at_both_places() {
    let compilation = compile_units(&["int f(void) { return 1; }", "int f(void) { return 2; }"]);
    assert!(compilation.program.is_none());
    let errors: Vec<_> = compilation.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains("`f` is defined twice"), "{}", errors[0].message);
    assert_eq!(compilation.sources.locate(errors[0].span.start).file, cairn_ir::FileId(1));
    assert_eq!(compilation.sources.locate(errors[0].notes[0].0.start).file, cairn_ir::FileId(0));
}

#[test]
fn weak_definitions_yield_and_aliases_resolve() {
    let first = "__attribute__((weak)) int f(void) { return 1; } int g(void); int main(void) { return f() + g(); }";
    let second = "int f(void) { return 2; } int g(void) __attribute__((alias(\"f\")));";
    let program = program(&[first, second]);
    let names: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f", "main"]);
    let text = cairn_ir::print::print(&program);
    assert!(text.contains("return 2") && !text.contains("return 1"), "{text}");
}

#[test]
fn equal_strings_are_one_object_and_the_users_functions_win_over_models() {
    let source = "unsigned long strlen(const char *s) { return 7; } char *strdup(const char *);
                  int main(void) { return strlen(\"abc\") + (strdup(\"abc\") != 0); }";
    let program = program(&[source]);
    assert_eq!(program.globals.iter().filter(|g| g.bytes == b"abc\0").count(), 1);
    let strlens =
        program.functions.iter().filter(|f| f.name == "strlen" && f.linkage == cairn_ir::program::Linkage::External);
    assert_eq!(strlens.count(), 1);
}

#[test]
fn what_nobody_uses_is_not_there() {
    let program =
        program(&["int unused(int); extern int far; int printf(const char *, ...); int main(void) { return 0; }"]);
    assert_eq!(program.functions.len(), 1);
    assert!(program.globals.is_empty());
}

#[test]
fn deep_trees_are_lowered_or_refused() {
    let work = || {
        let chain = format!("int f(int a, int b) {{ return {}a; }}", "a + b * ".repeat(20_000));
        let mut conditional = "int g(int a) { return ".to_owned();
        (0..20_000).for_each(|i| conditional.push_str(&format!("a == {i} ? {i} : ")));
        conditional.push_str("0; }");
        let mut ifs = "int h(int a) { ".to_owned();
        (0..20_000).for_each(|i| ifs.push_str(&format!("if (a == {i}) return {i}; else ")));
        ifs.push_str("; return 0; }");
        let nested = format!("int k(int a) {{ return {}a{}; }}", "-(".repeat(400), ")".repeat(400));
        program(&[&chain, &conditional, &ifs, &nested]).functions.len()
    };
    let thread = std::thread::Builder::new().stack_size(crate::parse::STACK_SIZE).spawn(work);
    let count = thread.expect("a thread starts").join().expect("no stack overflows");
    assert_eq!(count, 4);
}
