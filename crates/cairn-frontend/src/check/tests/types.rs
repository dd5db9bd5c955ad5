//! Tests of the types of expressions and the sizes of types.

use cairn_ir::layout::Target;

use super::{all_true, all_types};

#[test]
fn constants_have_the_first_type_that_fits() {
    all_types(
        "",
        Target::Lp64,
        &[
            ("1", "int"),
            ("1u", "unsigned"),
            ("2147483648", "long"),
            ("0x80000000", "unsigned"),
            ("0xffffffffffffffff", "unsigned long"),
            ("18446744073709551615", "__int128"),
            ("1ll", "long long"),
            ("1.0f", "float"),
            ("1.0L", "long double"),
            ("'a'", "int"),
            ("L'a'", "int"),
            ("u'a'", "unsigned short"),
            ("\"abc\"", "char[4]"),
            ("L\"abc\"", "int[4]"),
            ("sizeof 1", "unsigned long"),
        ],
    );
    all_types(
        "",
        Target::Ilp32,
        &[
            ("2147483648", "long long"),
            ("0xffffffffffffffff", "unsigned long long"),
            ("2147483647L", "long"),
            ("L'a'", "long"),
            ("sizeof 1", "unsigned"),
            ("(char *)0 - (char *)0", "int"),
        ],
    );
}

#[test]
fn the_usual_arithmetic_conversions() {
    all_types(
        "struct { unsigned u3 : 3, u32 : 32; int i5 : 5; _Bool b : 1; unsigned long l20 : 20; } s;",
        Target::Lp64,
        &[
            ("(char)1 + (char)2", "int"),
            ("(unsigned short)1 + 1", "int"),
            ("1u + 1l", "long"),
            ("1ll + 1ul", "unsigned long long"),
            ("1 ? 1 : 2.0", "double"),
            ("1 ? (char)1 : (short)2", "int"),
            ("-(char)1", "int"),
            ("!1.0", "int"),
            ("1 << 1l", "int"),
            ("(long)1 << 1", "long"),
            ("1.0f * 2", "float"),
            ("1.0f * 2.0", "double"),
            ("s.u3 + 1", "int"),
            ("+s.u32", "unsigned"),
            ("-s.i5", "int"),
            ("+s.b", "int"),
            ("+s.l20", "int"),
        ],
    );
    all_types("", Target::Ilp32, &[("1u + 1l", "unsigned long"), ("1ul + 1ll", "long long")]);
}

#[test]
fn pointers_arrays_and_functions() {
    all_types(
        "int f(int, char *); extern int g[]; extern int g[5]; extern const char *cs; typedef int arr3[3];
         int (*fpa[3])(void); int (*fret(int))(double); struct s { int a[2]; } sv, *sp; const struct s cv;",
        Target::Lp64,
        &[
            ("f", "int (int, char *)"),
            ("&f", "int (*)(int, char *)"),
            ("***f", "int (int, char *)"),
            ("f(1, 0)", "int"),
            ("g", "int[5]"),
            ("&g", "int (*)[5]"),
            ("g + 0", "int *"),
            ("1[g]", "int"),
            ("&cs", "const char **"),
            ("*(arr3 *)0", "int[3]"),
            ("fpa[0]()", "int"),
            ("fret(1)", "int (*)(double)"),
            ("fret(1)(2.0)", "int"),
            ("sv.a", "int[2]"),
            ("&sp->a[1]", "int *"),
            ("&cv.a[1]", "const int *"),
            ("1 ? (void *)0 : (int *)0", "int *"),
            ("1 ? (void *)1 : (int *)0", "void *"),
            ("1 ? (int *)0 : (const int *)0", "const int *"),
            ("1 ? 0 : (int *)0", "int *"),
            ("1 ? (const void *)0 : (int *)0", "const void *"),
            ("(int *)0 - (int *)0", "long"),
            ("f ?: 0", "int (*)(int, char *)"),
            ("(struct s){1}", "struct s"),
            ("(int[]){1, 2, 3}", "int[3]"),
        ],
    );
}

#[test]
fn enumerations() {
    all_true(
        "enum a { A0, A1 = 5, A2 }; enum b { B = -1, B1 }; enum c { C = 0x100000000 }; enum d { D = 0x80000000 };
         enum e { E = 0x80000000, E1 = -1 }; enum __attribute__((packed)) f { F = 200 }; enum g : short { G = 3 };",
        Target::Lp64,
        &[
            "A2 == 6",
            "sizeof(enum a) == 4 && (enum a)-1 > 0",
            "(enum b)-1 < 0 && B1 == 0",
            "sizeof(enum c) == 8 && sizeof(C) == 8",
            "_Generic(D, unsigned: 1) && _Generic(A1, int: 1)",
            "sizeof(enum e) == 8 && _Generic(E, long: 1) && _Generic(E1, int: 1)",
            "sizeof(enum f) == 1",
            "sizeof(enum g) == 2",
            "_Generic((enum a)0, unsigned: 1, default: 0)",
        ],
    );
}

#[test]
fn attributes_of_types() {
    all_true(
        "typedef int v4 __attribute__((vector_size(16))); typedef int di __attribute__((mode(DI)));
         typedef unsigned int qi __attribute__((__mode__(__QI__))); typedef int al __attribute__((aligned(16)));
         struct als { char c; al x; }; typedef int ua __attribute__((aligned(1))); struct uas { char c; ua x; };
         struct __attribute__((packed)) pk { char a; int b; short c; }; struct em {}; struct fl { int n; char d[]; };",
        Target::Lp64,
        &[
            "sizeof(v4) == 16",
            "_Generic((di)1, long: 1)",
            "sizeof(qi) == 1 && (qi)-1 == 255",
            "_Alignof(al) == 16 && sizeof(struct als) == 32",
            "sizeof(struct uas) == 5",
            "sizeof(struct pk) == 7 && _Alignof(struct pk) == 1",
            "sizeof(struct em) == 0 && sizeof(struct fl) == 4",
            "sizeof(_Complex double) == 16",
            "sizeof(__builtin_va_list) == 24",
            "sizeof(void) == 1",
        ],
    );
}

#[test]
fn generic_selection_and_compatibility() {
    all_true(
        "struct s { int a; };",
        Target::Lp64,
        &[
            "_Generic((char)1, char: 1, signed char: 2, int: 3) == 1",
            "_Generic(\"a\", char *: 1, default: 0)",
            "_Generic((const int)1, int: 1, default: 0)",
            "__builtin_types_compatible_p(int[], int[3])",
            "__builtin_types_compatible_p(const int, int)",
            "!__builtin_types_compatible_p(int, long)",
            "!__builtin_types_compatible_p(const int *, int *)",
            "__builtin_choose_expr(1, 2, 3) == 2",
        ],
    );
}
