//! Tests of the distinction between types and other names, which depends on the declarations in scope.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn casts_and_calls() {
    check(
        "typedef int T; int v; void f() { (T)(v); (v)(v); (T)-v; (v)-v; (T)*v; (v)*v; (T)&v; (v)&v; sizeof(T); sizeof(v); (T){1}; }",
        expect![[r#"
            T: typedef int;
            v: int;
            fn f: (?)void { ((T) v); v(v); ((T) (Minus v)); (v Sub v); ((T) (Deref v)); (v Mul v); ((T) (AddressOf v)); (v And v); sizeof(T); sizeof<v>; (T){1}; }
        "#]],
    );
    check(
        "typedef int T; void f() { T * x; T y; T (z); T (*w)(T); { int T; T * x; T = 1; } T a; }",
        expect![[r#"
        T: typedef int;
        fn f: (?)void { x: *T; y: T; z: T; w: *(_: T)T; { T: int; (T Mul x); (T = 1); } a: T; }
    "#]],
    );
}

#[test]
fn redeclared_in_inner_scopes() {
    check(
        "typedef int T; void f(T T) { T = 1; } void g(T x) { T y; }",
        expect![[r#"
        T: typedef int;
        fn f: (T: T)void { (T = 1); }
        fn g: (x: T)void { y: T; }
    "#]],
    );
    check(
        "typedef int T; void f() { T T = sizeof(T); T++; } T x;",
        expect![[r#"
        T: typedef int;
        fn f: (?)void { T: T = sizeof<T>; (PostInc T); }
        x: T;
    "#]],
    );
    check(
        "typedef int T; void f() { unsigned T; T = 1; } void g() { const T; T x; } void h(unsigned T, int x[sizeof(T)]) { T++; }",
        expect![[r#"
            T: typedef int;
            fn f: (?)void { T: uint; (T = 1); }
            fn g: (?)void { const T; x: T; }
            fn h: (T: uint, x: [sizeof<T>]int)void { (PostInc T); }
        "#]],
    );
    check(
        "typedef int T; void f() { enum { T }; T + 1; } void g() { T x; for (int T = 0; T < 3; T++) T; T y; }",
        expect![[r#"
            T: typedef int;
            fn f: (?)void { enum { T }; (T Add 1); }
            fn g: (?)void { x: T; for (T: int = 0; (T Lt 3); (PostInc T)) T; y: T; }
        "#]],
    );
    check(
        "typedef int T; void f() { { typedef char U; U x; } int U; U * 2; } struct s { T T; T : 3; int U; };",
        expect![[r#"
            T: typedef int;
            fn f: (?)void { { U: typedef char; x: U; } U: int; (U Mul 2); }
            struct s { T: T; _: T : 3; U: int };
        "#]],
    );
    check(
        "typedef int T; void f() { T: ; goto T; x.T; x->T; struct T t; T u; { struct T { T T; }; } }",
        expect![[r#"
        T: typedef int;
        fn f: (?)void { T: ; goto T; x.T; x->T; t: struct T; u: T; { struct T { T: T }; } }
    "#]],
    );
    check(
        "typedef int T; int f(T), g(int (T)), h(int T(T)), k(int (*)(T), T); int T2(T) ; ",
        expect![[r#"
        T: typedef int;
        f: (_: T)int, g: (_: (_: T)int)int, h: (T: (_: T)int)int, k: (_: *(_: T)int, _: T)int;
        T2: (_: T)int;
    "#]],
    );
    check(
        "typedef int T; int f(a, b) T a; { T x; } int g(x) int x; { int T; T * x; }",
        expect![[r#"
        T: typedef int;
        fn f: (a, b?)int a: T; { x: T; }
        fn g: (x?)int x: int; { T: int; (T Mul x); }
    "#]],
    );
    check(
        "typedef int T; void f() { extern int T(int); T(1); } void g() { if (1) { int T; T * 2; } T x; ({ int T; T * 2; }); T y; }",
        expect![[r#"
            T: typedef int;
            fn f: (?)void { T: (_: int)extern int; T(1); }
            fn g: (?)void { if 1 { T: int; (T Mul 2); } x: T; ({ T: int; (T Mul 2); }); y: T; }
        "#]],
    );
    check(
        "typedef struct s s; struct s { s *s; }; typedef s *t, **u; t a; u b;",
        expect![[r#"
        s: typedef struct s;
        struct s { s: *s };
        t: *typedef s, u: **typedef s;
        a: t;
        b: u;
    "#]],
    );
    check(
        "typedef int T; void f(int T) { (T)(1); T * 2; } void g(enum { A, B } T) { (T) - A; }",
        expect![[r#"
        T: typedef int;
        fn f: (T: int)void { T(1); (T Mul 2); }
        fn g: (T: enum { A, B })void { (T Sub A); }
    "#]],
    );
}

#[test]
fn contextual_keywords_can_be_redeclared() {
    check(
        "typedef int bool; enum { false, true }; bool x = true; static bool f(bool y) { return (bool)y; }",
        expect![[r#"
            bool: typedef int;
            enum { false, true };
            x: bool = true;
            fn f: (y: bool)static bool { return ((bool) y); }
        "#]],
    );
    check(
        "typedef unsigned char bool; bool b; void f() { int nullptr = 0, constexpr, alignas = nullptr; constexpr = 1; }",
        expect![[r#"
            bool: typedef uchar;
            b: bool;
            fn f: (?)void { nullptr: int = 0, constexpr: int, alignas: int = nullptr; (constexpr = 1); }
        "#]],
    );
    check(
        "typedef float _Float32; typedef long double _Float128; _Float32 x; typedef _Bool bool; bool b; typedef char *__builtin_va_list; __builtin_va_list p;",
        expect![[r#"
            _Float32: typedef float;
            _Float128: typedef ldouble;
            x: _Float32;
            bool: typedef bool;
            b: bool;
            __builtin_va_list: *typedef char;
            p: __builtin_va_list;
        "#]],
    );
    check(
        "struct s { int bool : 1; int true; int thread_local; }; int f(int static_assert) { return static_assert(1) + 1; }",
        expect![[r#"
        struct s { bool: int : 1; true: int; thread_local: int };
        fn f: (static_assert: int)int { return (static_assert(1) Add 1); }
    "#]],
    );
    check_body(
        "const bool a = true; bool *p; (bool)x; sizeof(bool); unsigned bool; bool = 1;",
        expect![[r#"
        fn f: (?)void { a: const bool = true; p: *bool; ((bool) x); sizeof(bool); bool: uint; (bool = 1); }
    "#]],
    );
}
