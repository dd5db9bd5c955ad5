//! Tests of lowering: the IR of small functions as text.

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

/// Checks the code of function `f`, without registers and locations, and with check kinds instead of check ids.
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
        for (index, word) in line.trim_end().split(' ').enumerate() {
            if index > 0 {
                out.push(' ');
            }
            match word.strip_prefix('!') {
                Some(run) => out.push_str(&format!("!{}", kinds(&program, run))),
                None => out.push_str(word),
            }
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

/// Returns the kinds of a range of checks (`c3` or `c3..c8`).
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
    check(
        "int f(int a, int b) { if (a > 1 && (b || !a)) return 1; return a < b; }",
        expect![[r#"
        b0:
          v2 = slt i32 1, v0
          branch v2, b1, b4 !uninitialised
        b1:
          v3 = ne i32 v1, 0
          branch v3, b3, b2 !uninitialised
        b2:
          v4 = ne i32 v0, 0
          branch v4, b4, b3 !uninitialised
        b3:
          return 1
        b4:
          v5 = slt i32 v0, v1
          v6 = zext i1 v5 to i32
          return v6
    "#]],
    );
}

#[test]
fn goto_out_of_and_into_blocks() {
    check(
        "int f(int n) { { int x = n; if (x) goto inside; { int y; inside: y = 2; if (n) goto out; } } out: return n; }",
        expect![[r#"
            b0:
              enter v1
              v1 = move v0
              v3 = ne i32 v1, 0
              branch v3, b1, b2 !uninitialised
            b1:
              enter v2
              jump b3
            b2:
              enter v2
              jump b3
            b3:
              v2 = move 2
              v4 = ne i32 v0, 0
              branch v4, b4, b5 !uninitialised
            b4:
              leave v2
              leave v1
              jump b6
            b5:
              leave v2
              leave v1
              jump b6
            b6:
              return v0
        "#]],
    );
}

#[test]
fn repeated_declarations_reset_the_variable() {
    check(
        "int f(int n) { again:; int x; int a[2]; if (n--) { x = a[0] = 1; goto again; } return n; }",
        expect![[r#"
              slot s0 "a" size 8 align 4
              slot s1 size 8 align 4
            b0:
              enter v1
              enter s0
              jump b1
            b1:
              v1 = undef
              enter s1
              copy 8 to s0 from s1
              leave s1
              v2 = move v0
              v0 = sub i32 v2, 1
              v3 = ne i32 v2, 0
              branch v3, b2, b3 !uninitialised
            b2:
              store i32 s0, 1
              v1 = move 1
              jump b1
            b3:
              leave s0
              leave v1
              return v0
        "#]],
    );
}

#[test]
fn switch_into_a_loop() {
    check(
        "void f(char *p, int n) { switch (n & 1) { case 0: do { int t = *p; p[1] = t; case 1: p++; } while (--n > 0); } }",
        expect![[r#"
            b0:
              v3 = and i32 v1, 1
              switch i32 signed v3 { 0: b3, 1: b1, else: b4 } !uninitialised
            b1:
              enter v2
              jump b2
            b2:
              v0 = ptr_add v0, 1 * 1
              leave v2
              v1 = sub i32 v1, 1
              v6 = slt i32 0, v1
              branch v6, b3, b4 !uninitialised
            b3:
              enter v2
              v4 = load i8 v0 !deref
              v2 = sext i8 v4 to i32
              v5 = trunc i32 v2 to i8
              store i8 v0+1, v5 !deref
              jump b2
            b4:
              return
        "#]],
    );
}

#[test]
fn bit_fields() {
    check(
        "struct s { int a : 3; unsigned b : 10; }; int f(struct s *p) { struct s x; x.a = 5; p->b = x.a; return p->b += 3; }",
        expect![[r#"
              slot s0 "x" size 4 align 4
            b0:
              enter s0
              store_bits i32 s0 bits 0+3, 5
              v1 = load_bits i32 s0 bits 0+3 signed
              use i32 v1 !uninitialised
              store_bits i32 v0 bits 3+10, v1 !deref
              v2 = load_bits i32 v0 bits 3+10 !deref
              v3 = add i32 v2, 3
              store_bits i32 v0 bits 3+10, v3 !deref
              v4 = shl i32 v3, 22
              v5 = lshr i32 v4, 22
              leave s0
              return v5
        "#]],
    );
}

#[test]
fn structs_by_value() {
    check(
        "struct s { int a[4]; }; struct s g(struct s x); int h(struct s);
         struct s f(struct s *p, int c) { struct s x = g(*p); *p = g(x); if (c) return x; return c ? *p : g(x); }",
        expect![[r#"
              slot s0 "x" size 16 align 4
              slot s1 size 16 align 4
              slot s2 size 16 align 4
            b0:
              enter s0
              enter s1
              copy 16 to s1 from v0 !deref
              call f1(ptr s0, memory 16 align 4 s1)
              leave s1
              enter s2
              call f1(ptr s2, memory 16 align 4 s0)
              copy 16 to v0 !deref from s2
              leave s2
              v3 = ne i32 v1, 0
              branch v3, b1, b2 !uninitialised
            b1:
              copy 16 to v2 from s0
              leave s0
              return
            b2:
              v4 = ne i32 v1, 0
              branch v4, b3, b4 !uninitialised
            b3:
              copy 16 to v2 from v0 !deref
              jump b5
            b4:
              call f1(ptr v2, memory 16 align 4 s0)
              jump b5
            b5:
              leave s0
              return
        "#]],
    );
}

#[test]
fn temporaries_die_with_the_full_expression() {
    check(
        "struct s { int a, b; }; struct s g(void); int f(void) { if (g().a) return g().b; return 0; }",
        expect![[r#"
              slot s0 size 8 align 4
              slot s1 size 8 align 4
            b0:
              enter s0
              call f1(ptr s0)
              v0 = load i32 s0
              v1 = ne i32 v0, 0
              branch v1, b1, b2 !uninitialised
            b1:
              leave s0
              enter s1
              call f1(ptr s1)
              v2 = load i32 s1+4
              leave s1
              return v2
            b2:
              leave s0
              return 0
        "#]],
    );
}

#[test]
fn variable_length_arrays() {
    check(
        "int f(int n) { for (;;) { int a[n]; a[0] = n; if (a[1]) break; if (a[2]) continue; } return n; }",
        expect![[r#"
              slot s0 "a" size 0 align 4
            b0:
              jump b1
            b1:
              enter v1
              v1 = sext i32 v0 to i64
              v2 = slt i64 v1, 0
              branch v2, b2, b3 !uninitialised
            b2:
              v1 = move 0
              jump b3
            b3:
              v3 = mul i64 v1, 4
              enter_vla s0 size v3
              store i32 s0, v0 !bounds
              v4 = load i32 s0+4 !bounds
              v5 = ne i32 v4, 0
              branch v5, b4, b5 !uninitialised
            b4:
              leave s0
              leave v1
              return v0
            b5:
              v6 = load i32 s0+8 !bounds
              v7 = ne i32 v6, 0
              branch v7, b6, b7 !uninitialised
            b6:
              leave s0
              leave v1
              jump b1
            b7:
              leave s0
              leave v1
              jump b1
        "#]],
    );
}

#[test]
fn accesses_carry_the_necessary_checks() {
    check(
        "int g[3]; struct s { int x, y[2]; };
         int f(int i, int *p, struct s *q) { int a[2]; a[1] = g[2]; a[2] = g[i]; return *p + q->y[i] + a[i] / i + 7 / 2u; }",
        expect![[r#"
              slot s0 "a" size 8 align 4
            b0:
              enter s0
              v3 = load i32 g0+8
              store i32 s0+4, v3
              v4 = sext i32 v0 to i64
              v5 = ptr_add g0, v4 * 4
              v6 = load i32 v5 !bounds
              store i32 s0+8, v6 !bounds
              v7 = load i32 v1 !deref
              v8 = sext i32 v0 to i64
              v9 = ptr_add v2, v8 * 4
              v10 = load i32 v9+4 !deref
              v11 = add i32 v7, v10
              v12 = sext i32 v0 to i64
              v13 = ptr_add s0, v12 * 4
              v14 = load i32 v13 !bounds
              v15 = sdiv i32 v14, v0 !division-by-zero
              v16 = add i32 v11, v15
              v17 = add i32 v16, 3
              leave s0
              return v17
        "#]],
    );
}

#[test]
fn cleanup_on_every_exit() {
    check(
        "void done(int *p); int f(int n) { { __attribute__((cleanup(done))) int x = n; if (x) return x; } return 0; }",
        expect![[r#"
              slot s0 "x" size 4 align 4
            b0:
              enter s0
              store i32 s0, v0
              v1 = load i32 s0
              v2 = ne i32 v1, 0
              branch v2, b1, b2 !uninitialised
            b1:
              v3 = load i32 s0
              call f1(ptr s0)
              leave s0
              return v3
            b2:
              call f1(ptr s0)
              leave s0
              return 0
        "#]],
    );
}

#[test]
fn computed_goto() {
    check(
        "int f(int n) { static void *t[] = { &&a, &&b }; { int x = n; goto *t[x]; } a: return 1; { int y; b: y = 2; return y; } }",
        expect![[r#"
            b0:
              enter v1
              v1 = move v0
              v3 = sext i32 v1 to i64
              v4 = ptr_add g0, v3 * 8
              v5 = load ptr v4 !bounds
              v7 = eq ptr v5, b4
              branch v7, b1, b2 !uninitialised
            b1:
              leave v1
              enter v2
              jump b4
            b2:
              leave v1
              jump_to v5 [b3] !invalid-call,uninitialised
            b3:
              return 1
            b4:
              v2 = move 2
              v6 = move v2
              leave v2
              return v6
        "#]],
    );
}

#[test]
fn increments() {
    check(
        "struct s { unsigned b : 3; }; int f(_Bool t, char c, double d, int **p, struct s *s) {
            t++; t--; c++; d--; (*p)++; return ++s->b + c--; }",
        expect![[r#"
            b0:
              v0 = move 1
              v0 = xor i8 v0, 1
              v1 = add i8 v1, 1
              v2 = sub f64 v2, 4607182418800017408
              v5 = load ptr v3 !deref
              v6 = ptr_add v5, 4 * 1
              store ptr v3, v6 !deref
              v7 = load_bits i32 v4 bits 0+3 !deref
              v8 = add i32 v7, 1
              store_bits i32 v4 bits 0+3, v8 !deref
              v9 = shl i32 v8, 29
              v10 = lshr i32 v9, 29
              v11 = move v1
              v1 = sub i8 v11, 1
              v12 = sext i8 v11 to i32
              v13 = add i32 v10, v12
              return v13
        "#]],
    );
}

#[test]
fn overflow_is_exact() {
    check(
        "int f(unsigned a, long b, int *r) { return __builtin_mul_overflow(a, b, r); }",
        expect![[r#"
        b0:
          v3 = zext i32 v0 to i128
          v4 = sext i64 v1 to i128
          v5 = mul i128 v3, v4
          v6 = trunc i128 v5 to i32
          v7 = sext i32 v6 to i128
          v8 = ne i128 v7, v5
          v9 = zext i1 v8 to i8
          store i32 v2, v6 !deref
          v10 = zext i8 v9 to i32
          return v10
    "#]],
    );
}

#[test]
fn aggregates_are_zeroed_and_filled() {
    check(
        "int f(int i) { struct { char s[6]; int a[20]; short b; } x = { \"hi\", { [2 ... 15] = i }, 7 }; return x.a[i]; }",
        expect![[r#"
              slot s0 "x" size 92 align 4
            b0:
              enter s0
              zero s0 size 92
              copy 3 to s0 from g0
              zero s0+3 size 3
              v1 = move 0
              jump b1
            b1:
              v2 = ptr_add s0, v1 * 4
              store i32 v2+16, v0
              v3 = add i64 v1, 1
              v1 = move v3
              v4 = ult i64 v1, 14
              branch v4, b1, b2
            b2:
              store i16 s0+88, 7
              v5 = sext i32 v0 to i64
              v6 = ptr_add s0, v5 * 4
              v7 = load i32 v6+8 !bounds
              leave s0
              return v7
        "#]],
    );
}

#[test]
fn library_calls_become_intrinsics() {
    check(
        "void *malloc(unsigned long); void free(void *); void *memcpy(void *, const void *, unsigned long);
         double sqrt(double); void abort(void); _Bool __VERIFIER_nondet_bool(void);
         int f(int n) { char *p = memcpy(malloc(n), &n, 4); if (__VERIFIER_nondet_bool()) abort(); free(p); return sqrt(n); }",
        expect![[r#"
              slot s0 "n" size 4 align 4
            b0:
              enter s0
              store i32 s0, v1
              enter v0
              v4 = load i32 s0
              v5 = sext i32 v4 to i64
              v3 = intrinsic heap_alloc(v5) !leak,unfreed
              intrinsic copy_bytes(v3, s0, 4) !null-deref,use-after-free,use-after-scope,out-of-bounds,invalid-deref,overlap,uninitialised
              v0 = move v3
              v12 = intrinsic nondet()
              v6 = zext i1 v12 to i8
              v7 = ne i8 v6, 0
              branch v7, b1, b2 !uninitialised
            b1:
              intrinsic abort()
              unreachable
            b2:
              intrinsic heap_free(v0) !double-free,invalid-free,uninitialised
              v9 = load i32 s0
              v10 = sint_to_float i32 v9 to f64
              v8 = intrinsic math_sqrt(v10)
              v11 = float_to_sint f64 v8 to i32
              leave v0
              leave s0
              return v11
        "#]],
    );
}

#[test]
fn variable_arguments() {
    check(
        "int f(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int x = __builtin_va_arg(ap, int);
         __builtin_va_end(ap); return x; }",
        expect![[r#"
              slot s0 "ap" size 24 align 8
            b0:
              enter s0
              enter v1
              v2 = intrinsic va_start()
              store ptr s0, v2
              v3 = load ptr s0
              use ptr v3 !uninitialised
              intrinsic va_arg(v3, 0, 4) !invalid-call
              v4 = ptr_add v3, 16 * 1
              store ptr s0, v4
              v1 = load i32 v3 !deref
              v5 = move v1
              leave v1
              leave s0
              return v5
        "#]],
    );
}

#[test]
fn statement_expressions() {
    check(
        "int f(int n) { return ({ int t = n * 2; t; }) + ({ if (n) return 5; n; }); }",
        expect![[r#"
        b0:
          enter v1
          v1 = mul i32 v0, 2
          v2 = move v1
          leave v1
          v3 = ne i32 v0, 0
          branch v3, b1, b2 !uninitialised
        b1:
          return 5
        b2:
          v4 = move v0
          v5 = add i32 v2, v4
          return v5
    "#]],
    );
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
    assert!(globals.contains(&("shared", &[5])), "{globals:?}");
    assert!(program.globals.iter().all(|g| g.defined));
    assert!(program.functions.iter().all(|f| f.body.is_some()));
}

#[test]
fn duplicate_definitions_are_reported_with_both_locations() {
    let compilation = compile_units(&["int f(void) { return 1; }", "int f(void) { return 2; }"]);
    assert!(compilation.program.is_none());
    let errors: Vec<_> = compilation.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains("multiple definition of 'f'"), "{}", errors[0].message);
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
fn equal_strings_share_an_object_and_user_functions_override_models() {
    let source = "unsigned long strlen(const char *s) { return 7; } char *strdup(const char *);
                  int main(void) { return strlen(\"abc\") + (strdup(\"abc\") != 0); }";
    let program = program(&[source]);
    assert_eq!(program.globals.iter().filter(|g| g.bytes == b"abc\0").count(), 1);
    let strlens =
        program.functions.iter().filter(|f| f.name == "strlen" && f.linkage == cairn_ir::program::Linkage::External);
    assert_eq!(strlens.count(), 1);
}

#[test]
fn unused_declarations_are_dropped() {
    let program =
        program(&["int unused(int); extern int far; int printf(const char *, ...); int main(void) { return 0; }"]);
    assert_eq!(program.functions.len(), 1);
    assert!(program.globals.is_empty());
}

#[test]
fn deep_trees_are_lowered_or_unsupported() {
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
    let thread = std::thread::Builder::new().stack_size(crate::limits::STACK_SIZE).spawn(work);
    let count = thread.expect("a thread starts").join().expect("no stack overflows");
    assert_eq!(count, 4);
}

#[test]
fn declarations_keep_their_c_types() {
    use cairn_ir::ctype::Type;
    use cairn_ir::inst::Inst;
    let program = program(&["struct node { struct node *next; };
         struct node *head;
         struct node *f(struct node *n, long count, struct node *(*g)(struct node *))
         { struct node local = { n }; n = g(&local); return n; }"]);
    let name = |ty: Option<cairn_ir::ctype::TypeId>| match ty.map(|ty| program.types.get(ty).clone()) {
        Some(Type::Pointer(to)) => format!("{:?} *", program.types.get(to.ty)),
        Some(other) => format!("{other:?}"),
        None => "none".to_owned(),
    };
    let record = "Record(RecordId(0))";
    assert_eq!(name(program.globals[0].ctype), format!("{record} *"));
    let body = program.functions[0].body.as_ref().expect("f is defined");
    let regs: Vec<String> = body.ctypes.regs.iter().map(|&ty| name(ty)).collect();
    assert_eq!(regs[0], format!("{record} *"));
    assert_eq!(regs[1], "Int(Long)");
    assert_eq!(name(body.ctypes.slot(cairn_ir::SlotId(0))), record);
    assert!(matches!(body.ctypes.function.map(|ty| program.types.get(ty)), Some(Type::Function(_))));
    let calls = body.blocks.iter().flat_map(|block| &block.insts).filter_map(|inst| match inst {
        Inst::Call(call) => Some(name(call.ctype)),
        _ => None,
    });
    assert!(calls.into_iter().all(|ty| ty.starts_with("Function")));
}
