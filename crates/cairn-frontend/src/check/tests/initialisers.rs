//! Tests of static initialisers. The expected bytes are gcc's.

use super::{accept, accept_for};
use cairn_ir::layout::Target;
use expect_test::expect;

const PRELUDE: &str = "
struct p { int x, y; }; struct q { char c; struct p p; int a[3]; short s; };
union u { int i; char c[8]; double d; };
struct an { int a; union { int b; struct { char c, d; }; }; int e; };
struct bf { int a : 3; unsigned b : 5; int : 2; int c : 10; unsigned long d : 33; _Bool e : 1; };
struct fl { int n; short d[]; };
";

/// Asserts, for each declaration of an object `g`, its size and leading bytes.
fn objects(cases: &[(&str, &str)]) {
    for (text, value) in cases {
        let checked = accept(&format!("{PRELUDE}{text}"));
        assert_eq!(checked.object("g"), *value, "{text}");
    }
}

#[test]
fn scalars_and_strings() {
    objects(&[
        ("char g[] = \"hi\";", "3:6869"),
        ("char g[5] = {\"hi\"};", "5:6869"),
        ("int g = {5};", "4:05"),
        ("unsigned char g = -1;", "1:ff"),
        ("_Bool g = 0.1;", "1:01"),
        ("double g = 0.1f;", "8:000000a09999b93f"),
        ("long double g = 1;", "16:0000000000000080ff3f"),
        ("unsigned short g[4] = u\"a\";", "8:61"),
        ("char g[2][3] = {\"ab\", {'c'}};", "6:61620063"),
        ("__int128 g = (__int128)1 << 64;", "16:000000000000000001"),
        ("char g[] = \"abc\\0d\";", "6:6162630064"),
    ]);
}

#[test]
fn braces_may_be_elided() {
    objects(&[
        ("struct q g = {1, 2, 3, 4, 5, 6, 7};", "28:01000000020000000300000004000000050000000600000007"),
        ("struct q g = {1, {2}, {4}, 7};", "28:01000000020000000000000004000000000000000000000007"),
        ("struct p g[] = {1, 2, 3};", "16:010000000200000003"),
        ("int g[][2] = {1, 2, 3};", "16:010000000200000003"),
        ("struct an g = {1, 2, 3};", "12:010000000200000003"),
        ("struct { char a[4], b[4]; } g = {\"ab\", \"cd\"};", "8:616200006364"),
        ("struct { int z[0]; int a; } g = {{}, 5};", "4:05"),
        ("struct { struct {} x; int a; } g = {{}, 1};", "4:01"),
        ("struct p g = {};", "8:"),
    ]);
}

#[test]
fn designators() {
    objects(
        &[
            ("struct p g = {.y = 3, .x = 4};", "8:0400000003"),
            ("int g[] = {[2] = 1, 2, [0] = 7, 8};", "16:07000000080000000100000002"),
            ("struct q g = {.p.y = 4, 5, 6};", "28:0000000000000000040000000500000006"),
            ("struct q g = {.a[1] = 4, 5, 6};", "28:0000000000000000000000000000000004000000050000000600"),
            ("struct an g = {.d = 5, .e = 6};", "12:00000000000500000600"),
            ("struct an g = {.c = 1, 2, 3};", "12:000000000102000003"),
            ("union u g = {.c = {1, 2}};", "8:0102"),
            ("union u g = {.i = 1, .c = {2}};", "8:02"),
            ("union u g = {.d = 1.5};", "8:000000000000f83f"),
            ("struct p g = {x: 3};", "8:03"),
        ]
        .map(|(text, value)| (text, value.trim_end_matches("00"))),
    );
}

#[test]
fn ranges_and_overriding() {
    objects(&[
        ("int g[4] = {[0 ... 3] = 5, [1] = 1};", "16:05000000010000000500000005"),
        ("struct p g[2] = {[0 ... 1] = {1, 2}, [1] = {3}};", "16:010000000200000003"),
        ("int g[2][2] = {[0 ... 1] = {[0 ... 1] = 7}};", "16:07000000070000000700000007"),
        ("char g[3][3] = {[1 ... 2][1 ... 2] = 3};", "9:000000000303000303"),
        ("struct p g[1] = {{1, 2}, [0] = {3}};", "8:03"),
        ("struct p g = {1, 2, .x = 3};", "8:0300000002"),
    ]);
}

#[test]
fn bit_fields_and_flexible_arrays() {
    objects(
        &[
            ("struct bf g = {-1, 17, -5, 0x1ffffffffUL, 7};", "8:8fecffffffff3f"),
            ("struct fl g = {2, {1, 2, 3}};", "10:02000000010002000300"),
            ("struct { int n; char s[]; } g = {1, \"hey\"};", "8:01000000686579"),
        ]
        .map(|(text, value)| (text, value.trim_end_matches("00"))),
    );
}

#[test]
fn constant_compound_literals() {
    objects(&[
        ("struct p g = (struct p){8, 9};", "8:0800000009"),
        ("struct { char c; struct p p; } g = {1, (struct p){8, 9}};", "12:010000000800000009"),
        ("int g[] = (int[]){1, 2};", "8:0100000002"),
    ]);
}

#[test]
fn pointers_have_the_target_width() {
    let text = "extern int x; int *g[2] = {&x, &x + 1}; struct { char c; long long l; } h = {1, 2};";
    assert_eq!(accept_for(text, Target::Ilp32).object("g"), "8: 0=x+0 4=x+4");
    assert_eq!(accept_for(text, Target::Ilp32).object("h"), "12:0100000002");
    assert_eq!(accept_for(text, Target::Lp64).object("h"), "16:010000000000000002");
}

#[test]
fn invalid_initialisers() {
    super::check(
        "int f(void); int a = f();
         int b[2] = {1, 2, 3}; struct { int x; } c = {.y = 1}; int d[2] = {[5] = 1}; int e = {1, 2};
         int g[2] = 5; char h[2] = \"abc\"; struct s i = {1}; int j[2] = {.x = 1}; int *k = {0};
         int l[3] = {[2 ... 1] = 0}; char m = (long)&a;",
        expect![[r#"
            1:22 error: initializer element is not a compile-time constant
            2:28 warning: excess elements in array initializer
            2:56 error: field designator 'y' does not refer to any field in type 'struct (unnamed)'
            2:77 error: array designator index (5) exceeds array bounds (2)
            2:94 warning: excess elements in scalar initializer
            3:21 error: array initializer must be an initializer list or string literal
            3:36 warning: initializer-string for char array is too long
            3:52 error: variable has incomplete type 'struct s'
            3:74 error: field designator cannot initialize a non-struct, non-union type 'int [2]'
            4:23 error: array designator range [2, 1] is empty
            4:47 error: initializer element is not a compile-time constant
        "#]],
    );
}
