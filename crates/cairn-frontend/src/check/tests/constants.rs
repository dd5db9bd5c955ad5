//! Tests of the constant evaluator.

use cairn_ir::layout::Target;

use super::{accept, all_true};

#[test]
fn constexpr_objects_are_constants() {
    accept(
        "constexpr int N = 3; constexpr auto M = N * 2; enum { E = N + 1 }; struct s { int f : N; };
         int table[M]; _Static_assert(sizeof table == 24 && E == 4, \"\");
         int f(int x) { constexpr unsigned char k = 2; int a[k]; _Static_assert(sizeof a == 8, \"\");
             switch (x) { case k: return 1; case N: return *&k; } return a[0]; }",
    );
}

#[test]
fn integers_wrap_to_their_types() {
    all_true(
        "",
        Target::Lp64,
        &[
            "(unsigned char)300 == 44",
            "(signed char)200 == -56",
            "(_Bool)0.5 == 1",
            "-1 > 0u",
            "7 / -2 == -3 && 7 % -2 == 1 && -7 % 2 == -1",
            "(unsigned)-1 >> 31 == 1 && -1 >> 31 == -1",
            "(__int128)1 << 100 > 0",
            "(unsigned __int128)-1 > 0 && (unsigned __int128)-1 >> 127 == 1",
            "(unsigned __int128)-1 / 3 == ((unsigned __int128)0x5555555555555555 << 64 | 0x5555555555555555)",
            "1 ? 2 : 1 / 0",
            "!(0 && 1 / 0) && (1 || 1 / 0)",
            "(char)'\\xff' == -1 && 'ab' == 24930",
            "(1 ?: 2) == 1 && (0 ?: 2) == 2",
        ],
    );
}

#[test]
fn floats_are_exact() {
    all_true(
        "",
        Target::Lp64,
        &[
            "0.1 + 0.2 != 0.3",
            "16777217.0f == 16777216.0f && (float)16777217 == 16777216.0f",
            "0x1.8p1 == 3",
            "(int)3.99 == 3 && (int)-3.99 == -3",
            "(unsigned long)18446744073709549568.0 == 18446744073709549568ul",
            "(double)0.1L == 0.1 && 0.1L != 0.1",
            "1e-400 == 0 && 1e-400L != 0",
            "1e99999999999999999999 > 1e308 && 1e-99999999999999999999 == 0",
            "-0.0 == 0 && __builtin_signbit(-0.0)",
            "__builtin_isnan(__builtin_nan(\"\")) && __builtin_isinf_sign(-__builtin_inff()) == -1",
            "__builtin_fpclassify(0, 1, 2, 3, 4, 0.0) == 4 && __builtin_fpclassify(0, 1, 2, 3, 4, 1e-310) == 3",
            "__builtin_isgreater(2.0, 1) && !__builtin_isless(2.0, __builtin_nan(\"\"))",
        ],
    );
}

#[test]
fn offsets_and_addresses() {
    all_true(
        "struct s { int a; char b; struct { int x, y; } in; union { int u; float f; }; int arr[4]; };",
        Target::Lp64,
        &[
            "__builtin_offsetof(struct s, in.y) == 12",
            "__builtin_offsetof(struct s, f) == 16",
            "__builtin_offsetof(struct s, arr[2]) == 28",
            "(unsigned long)&((struct s *)0)->arr[1] == 24",
            "&((struct s *)0)->arr[3] - &((struct s *)0)->arr[1] == 2",
            "(char *)8 - (char *)2 == 6",
        ],
    );
}

#[test]
fn builtins_fold() {
    all_true(
        "int x;",
        Target::Lp64,
        &[
            "__builtin_clz(1) == 31 && __builtin_ctzll(8) == 3 && __builtin_ffs(0) == 0",
            "__builtin_popcount(255) == 8 && __builtin_parity(7) == 1",
            "__builtin_clrsb(-1) == 31 && __builtin_clrsbl(1) == 62",
            "__builtin_bswap16(0x1234) == 0x3412 && __builtin_bswap32(0x12345678) == 0x78563412",
            "__builtin_bswap64(1) == 0x0100000000000000",
            "__builtin_add_overflow_p(2147483647, 1, 0) && !__builtin_add_overflow_p(2147483647, 1, 0l)",
            "__builtin_constant_p(1) && __builtin_constant_p(\"a\") && !__builtin_constant_p(x)",
            "__builtin_expect(5, 1) == 5",
        ],
    );
}

#[test]
fn static_addresses() {
    let checked = accept(
        "struct s { int a; int b[3]; } g[2]; int f(void); static int hidden;
         int *p = &g[1].b[2]; int *q = g[0].b + 1; int (*fp)(void) = f; char *str = \"abc\" + 1; long n = (long)&g[1];
         int *last = &g[1].a - 1; void *self = &self; int *lit = (int[]){1, 2}; int yes = &g[1] != 0;
         long nothing = (long)&g * 0 + 5; int *h = &hidden; int same = &g[1] > &g[0]; _Bool b = f;
         int *sub = &((struct s *)&g[1])->b[0];",
    );
    for (name, value) in [
        ("p", "8: 0=g+28"),
        ("q", "8: 0=g+8"),
        ("fp", "8: 0=f+0"),
        ("str", "8: 0=string+1"),
        ("n", "8: 0=g+16"),
        ("last", "8: 0=g+12"),
        ("self", "8: 0=self+0"),
        ("lit", "8: 0=.literal.1+0"),
        ("yes", "4:01"),
        ("nothing", "8:05"),
        ("h", "8: 0=hidden+0"),
        ("same", "4:01"),
        ("b", "1:01"),
        ("sub", "8: 0=g+20"),
        (".literal.1", "8:0100000002"),
    ] {
        assert_eq!(checked.object(name), value, "{name}");
    }
}
