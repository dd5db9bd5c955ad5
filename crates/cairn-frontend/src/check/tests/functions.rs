//! Tests of functions: linkage, locals, captures, and the form of the typed tree.

use super::{Checked, accept, run};
use crate::hir::{ExprKind, LocalInit, StmtKind, SymbolKind};
use cairn_ir::ctype::TypeId;
use cairn_ir::layout::Target;

fn taken(checked: &Checked, function: &str) -> Vec<String> {
    let function = checked.function(function);
    let taken = function.locals.iter().filter(|l| l.address_taken);
    taken.filter_map(|l| l.name.as_deref().map(str::to_owned)).collect()
}

#[test]
fn address_taken_locals() {
    let checked = accept(
        "void g(int *); struct s { int a; };
         void f(int n) { int a = 1, b = 2, c[2], d; struct s e, h; g(&b); c[0] = a; d = a; g(&e.a); h.a = d; }",
    );
    assert_eq!(taken(&checked, "f"), ["b", "c", "e"]);
}

#[test]
fn unused_declarations_are_not_symbols() {
    let checked =
        accept("int a(void); int b(void); extern int c, d; int main(void) { return b() + d; } int t; static int s;");
    let names: Vec<&str> = checked.unit.symbols.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["main", "b", "d", "t", "s"]);
    let kind = |name: &str| &checked.unit.symbols.iter().find(|s| s.name == name).expect("it is there").kind;
    assert!(matches!(kind("b"), SymbolKind::FunctionDecl { .. }));
    assert!(matches!(kind("d"), SymbolKind::ObjectDecl));
    assert!(matches!(kind("t"), SymbolKind::Object { init: None, .. }));
}

#[test]
fn linkage() {
    let checked = accept(
        "static int f(void); int f(void) { return 1; } inline int i(void) { return 2; } int j(void);
         inline int j(void) { return 3; } extern inline __attribute__((gnu_inline)) int k(void) { return 4; }
         int l(void) __asm__(\"renamed\"); int w(void) __attribute__((weak)); int a(void) __attribute__((alias(\"f\")));
         int use(void) { static int count; return i() + j() + k() + l() + w() + count; } int array[];",
    );
    let symbol = |name: &str| checked.unit.symbols.iter().find(|s| s.name == name).expect("it is there");
    assert!(symbol("f").internal);
    assert!(symbol("i").weak && !symbol("i").internal);
    assert!(!symbol("j").weak);
    assert!(matches!(symbol("k").kind, SymbolKind::FunctionDecl { .. }));
    assert!(matches!(symbol("renamed").kind, SymbolKind::FunctionDecl { .. }));
    assert!(symbol("w").weak);
    assert!(matches!(&symbol("a").kind, SymbolKind::Alias(to) if to == "f"));
    assert!(symbol("use.count").internal);
    assert_eq!(cairn_ir::layout::size_of(&checked.types, Target::Lp64, symbol("array").ty.ty), Some(4));
}

#[test]
fn nested_functions_capture() {
    let checked = accept(
        "int outer(int n) {
             int t = 0;
             auto void later(int);
             void add(int k) { t += k; later(k); }
             void later(int k) { t += n; if (k) add(k - 1); }
             int deep(int q) { int inner(int z) { return z + t + q; } return inner(1); }
             add(n);
             return deep(2);
         }",
    );
    let captures = |name: &str| checked.function(name).captures.len();
    // `add` captures `n` because `later` does.
    assert_eq!((captures("outer.add"), captures("outer.later"), captures("outer.deep")), (2, 2, 1));
    let inner = checked.function("deep.inner");
    let levels: Vec<u32> = inner.captures.iter().map(|c| c.level).collect();
    assert_eq!((inner.level, levels), (3, vec![1, 2]));
    assert_eq!(taken(&checked, "outer"), ["n", "t"]);
}

#[test]
fn dimensions_are_evaluated_once() {
    let checked = accept(
        "int f(int n, int a[n][n]) { int b[n + 1]; typedef int row[n]; return sizeof b + sizeof(row) + sizeof a[0]; }",
    );
    let function = checked.function("f");
    assert_eq!(function.vla_dimensions.len(), 3);
    let kinds: Vec<&str> = function
        .body
        .stmts
        .iter()
        .map(|s| match &s.kind {
            StmtKind::Declare(..) => "declare",
            StmtKind::DeclareVla(..) => "vla",
            StmtKind::Expr(_) => "expr",
            StmtKind::Return(_) => "return",
            StmtKind::If(..) => "bound",
            _ => "other",
        })
        .collect();
    let expected = ["declare", "bound", "expr", "declare", "bound", "vla", "declare", "bound", "return"];
    assert_eq!(kinds, expected);
}

#[test]
fn old_style_parameters_are_promoted() {
    let checked = accept("int f(a, b) char a; float b; { return a + b; }");
    let function = checked.function("f");
    let types: Vec<TypeId> = function.params.iter().map(|p| function.locals[p.0 as usize].ty.ty).collect();
    assert_eq!(types, [TypeId::INT, TypeId::DOUBLE]);
    assert!(!function.prototyped);
    // After a prototype, the definition takes unpromoted arguments.
    let checked = accept("int f(char, float); int f(a, b) char a; float b; { return a + b; }");
    let function = checked.function("f");
    let types: Vec<TypeId> = function.params.iter().map(|p| function.locals[p.0 as usize].ty.ty).collect();
    assert_eq!(types, [TypeId::CHAR, TypeId::FLOAT]);
}

#[test]
fn trivial_constants_are_folded() {
    let checked = accept("int f(void) { int a = 2 * 3 + (char)257; return a; } double d(void) { return 1 / 2.0; }");
    let StmtKind::Declare(_, Some(LocalInit::Value(value))) = &checked.function("f").body.stmts[0].kind else {
        panic!("a declaration")
    };
    assert!(matches!(value.kind, ExprKind::Int(7)));
    let StmtKind::Return(Some(value)) = &checked.function("d").body.stmts[0].kind else { panic!("a return") };
    assert!(matches!(value.kind, ExprKind::Float(bits) if bits == u128::from(0.5f64.to_bits())));
}

#[test]
fn library_builtins_are_calls() {
    let checked = accept(
        "int f(char *p, const char *q) { __builtin_memcpy(p, q, 3); __builtin___strcpy_chk(p, q, 9);
         __builtin___sprintf_chk(p, 0, 9, \"%s\", q); return __builtin_strlen(q) + __builtin_abs(-3); }",
    );
    let names: Vec<&str> = checked.unit.symbols.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["f", "memcpy", "strcpy", "sprintf", "strlen", "abs"]);
}

#[test]
fn unmodelled_constructs_are_unsupported() {
    let checked = accept(
        "typedef char large __attribute__((vector_size(4096))); large f(large a, large b) { return a + b; }
         void h(void) { __asm__(\"nop\"); __asm__(\"\"); } void *k(void) { return __builtin_frame_address(0); }",
    );
    let StmtKind::Return(Some(value)) = &checked.function("f").body.stmts[0].kind else { panic!("a return") };
    assert!(matches!(&value.kind, ExprKind::Unsupported(text) if text == "vector arithmetic of this kind"));
    let asm = &checked.function("h").body.stmts;
    assert!(matches!(asm[0].kind, StmtKind::Unsupported(_)) && matches!(asm[1].kind, StmtKind::Empty));
}

#[test]
fn unqualified_types() {
    let text = "const int a[2]; volatile int b; int f(void) { typeof_unqual(b) c = 1; typeof_unqual(const long) d = 2;
         typeof_unqual(a) e; c = d; e[0] = c; return e[0]; }";
    accept(text);
    assert!(run(&text.replace("_unqual", ""), Target::Lp64).messages().contains("const-qualified"));
}

#[test]
fn mismatched_vectors_are_rejected() {
    let checked = run(
        "typedef int v4 __attribute__((vector_size(16))); typedef int v2 __attribute__((vector_size(8)));
         typedef float f4 __attribute__((vector_size(16))); struct s { int x; } s; v4 a; v2 b; f4 c;
         void f(void) { a + b; a + c; a + s; a << 1; c % c; ~c; (v2)a; (f4)a; c << 1; a < c; }",
        Target::Lp64,
    );
    let messages = checked.messages();
    let places: Vec<&str> = messages.lines().map(|line| line.split(' ').next().unwrap_or("")).collect();
    assert_eq!(places, ["3:25", "3:32", "3:39", "3:54", "3:61", "3:65", "3:79", "3:87"]);
}

#[test]
fn switch_cases_are_converted_to_the_promoted_type() {
    let checked = run(
        "int f(unsigned char c, unsigned u) { switch (c) { case 'a' ... 'z': return 1; case 300: return 2; case 5 ... 3: ; }
         switch (u) { case -1: return 3; default: return 4; } }",
        Target::Lp64,
    );
    assert_eq!(checked.messages(), "1:104 warning: empty case range specified\n");
    let stmts = &checked.function("f").body.stmts;
    let StmtKind::Switch { cases, has_default, .. } = &stmts[0].kind else { panic!("a switch") };
    assert_eq!((cases.as_slice(), *has_default), ([(97, 122), (300, 300)].as_slice(), false));
    let StmtKind::Switch { cases, has_default, .. } = &stmts[1].kind else { panic!("a switch") };
    assert_eq!((cases.as_slice(), *has_default), ([(0xffff_ffff, 0xffff_ffff)].as_slice(), true));
}
