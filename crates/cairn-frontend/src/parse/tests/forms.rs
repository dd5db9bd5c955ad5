//! Tests of the tree for every form of C and GNU C that the parser supports.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn declarators() {
    check(
        "int a, *b, **c[3], (*d)[3], e[2][3];",
        expect![[r#"
        a: int, b: *int, c: [3]**int, d: *[3]int, e: [2][3]int;
    "#]],
    );
    check(
        "int (*f(int a))(int b); int (*g[4])(void); char *(*(*h)(void))[5];",
        expect![[r#"
        f: (a: int)*(b: int)int;
        g: [4]*()int;
        h: *()*[5]*char;
    "#]],
    );
    check(
        "void f(int a[static const 3], int b[*], int c[restrict], int (*)(int), int *[2], int (*)[*], ...);",
        expect![[r#"
            f: (a: [const 3]int, b: [*]int, c: [restrict ]int, _: *(_: int)int, _: [2]*int, _: *[*]int, ...)void;
        "#]],
    );
    check(
        "int (((x))); int *const volatile p; int f(int(void)); int g(int (*)()); int h(int ());",
        expect![[r#"
        x: int;
        p: const volatile *int;
        f: (_: ()int)int;
        g: (_: *(?)int)int;
        h: (_: (?)int)int;
    "#]],
    );
    check(
        "struct s; int f(int (x), int ((y)), int (*z), int [], int (*[])(void));",
        expect![[r#"
        struct s;
        f: (x: int, y: int, z: *int, _: []int, _: []*()int)int;
    "#]],
    );
    check(
        "int *restrict *__restrict p; int __attribute__((a)) *__attribute__((b)) (__attribute__((c)) *q)(void) __attribute__((d));",
        expect![[r#"
            p: restrict *restrict *int;
            q: *()*int @a @b @c @d;
        "#]],
    );
}

#[test]
fn specifiers() {
    check(
        "unsigned long int a; long unsigned b; long long c; int long signed long d; unsigned e; signed char f; \
         short g; char h; long double i; double long _Complex j; _Complex k; float _Complex l; _Bool m; \
         unsigned __int128 n; __int128_t o; __uint128_t p; __signed__ q; _Float64x r; __float128 s; _Float16 t;",
        expect![[r#"
            a: ulong;
            b: ulong;
            c: llong;
            d: llong;
            e: uint;
            f: schar;
            g: short;
            h: char;
            i: ldouble;
            j: complex ldouble;
            k: complex double;
            l: complex float;
            m: bool;
            n: uint128;
            o: int128;
            p: uint128;
            q: int;
            r: ldouble;
            s: float128;
            t: float16;
        "#]],
    );
    check(
        "static inline __attribute__((always_inline)) const int f(void); extern __thread volatile int x; \
         _Thread_local static int y; _Noreturn void g(void); _Alignas(16) _Alignas(double) char z[4]; \
         register int r; __extension__ typedef struct { int a; } s;",
        expect![[r#"
            f: ()static inline const int @always_inline;
            x: extern thread_local volatile int;
            y: static thread_local int;
            g: ()noreturn void;
            z: [4]alignas(16) alignas(double) char;
            r: register int;
            s: typedef struct { a: int };
        "#]],
    );
    check(
        "_Atomic int a; _Atomic(int) b; __typeof__(int *) c; typeof(a + 1) d; typeof_unqual(a) e; __auto_type f = 1; \
         auto g = 1.5; auto h; __builtin_va_list ap; const i; static j; static auto k = 3;",
        expect![[r#"
            a: atomic int;
            b: atomic(int);
            c: typeof(*int);
            d: typeof((a Add 1));
            e: unqualified typeof(a);
            f: auto = 1;
            g: auto = 1.5:Double;
            h: auto <implicit>;
            ap: va_list;
            i: const <implicit>;
            j: static <implicit>;
            k: static auto = 3;
        "#]],
    );
    check(
        "constexpr int a = 1; thread_local int b; alignas(8) bool c = true; bool d = false; void *e = nullptr; static_assert(alignof(int) == 4);",
        expect![[r#"
            a: constexpr const int = 1;
            b: thread_local int;
            c: alignas(8) bool = true;
            d: bool = false;
            e: *void = nullptr;
            static_assert((alignof(int) Eq 4))
        "#]],
    );
}

#[test]
fn records() {
    check(
        "struct s { int a, *b; unsigned c : 3, : 0, d : 2; int : 5; struct { int x; }; union u { int y; } z; \
         _Static_assert(1); ; __extension__ int e; struct s *next; int tail[]; };",
        expect![[r#"
            struct s { a: int, b: *int; c: uint : 3, _: uint : 0, d: uint : 2; _: int : 5; struct { x: int }; z: union u { y: int }; static_assert(1); e: int; next: *struct s; tail: []int };
        "#]],
    );
    check(
        "struct {} a; union u {} b; struct s; struct s { } __attribute__((packed, aligned(4))) c; struct __attribute__((packed)) t { char c; };",
        expect![[r#"
            a: struct {  };
            b: union u {  };
            struct s;
            c: struct s {  } @packed @aligned(4);
            struct t { c: char } @packed;
        "#]],
    );
    check(
        "struct s { int a; } __attribute__((packed)) x __attribute__((unused)), y; struct s __attribute__((aligned(16))) z;",
        expect![[r#"
            x: struct s { a: int } @packed @unused, y: struct s { a: int } @packed;
            z: struct s @aligned(16);
        "#]],
    );
    check(
        "enum { A, B = 2, C, }; enum e { D __attribute__((deprecated)) = 1 }; enum f : unsigned char { E }; enum g : short; struct { enum e a : 3; enum f : 4; } x;",
        expect![[r#"
            enum { A, B = 2, C };
            enum e { D = 1 };
            enum f : uchar { E };
            enum g : short;
            x: struct { a: enum e : 3; _: enum f : 4 };
        "#]],
    );
    check(
        "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(2)\nstruct b { int x; };\n#pragma pack()\nstruct c { int x; };\n#pragma pack(pop)\nstruct d { int x; };",
        expect![[r#"
            struct a pack 1 { x: int };
            struct b pack 2 { x: int };
            struct c { x: int };
            struct d { x: int };
        "#]],
    );
    check(
        "_Pragma(\"pack(push, 4)\") struct a { int x; }; __pragma(pack(pop)) struct b { int x; };",
        expect![[r#"
        struct a pack 4 { x: int };
        struct b { x: int };
    "#]],
    );
    check(
        "#pragma pack(push, here, 2)\n#pragma pack(push, 8)\n#pragma pack(pop, here)\nstruct a { int x; };\n#pragma once\n#pragma omp parallel for\n",
        expect![[r#"
            struct a { x: int };
        "#]],
    );
    check(
        "struct a { int x;\n#pragma pack(1)\n int y; };\n#pragma pack()\nstruct b { int x; };",
        expect![[r#"
        struct a pack 1 { x: int; y: int };
        struct b { x: int };
    "#]],
    );
}

#[test]
fn functions() {
    check(
        "int main(void) { return 0; } int f() {} g() {} h(a, b) char *a; { } int k(x, y) int x; double y, z; {}",
        expect![[r#"
            fn main: ()int { return 0; }
            fn f: (?)int {}
            fn g: (?)<implicit> {}
            fn h: (a, b?)<implicit> a: *char; {}
            fn k: (x, y?)int x: int; y: double, z: double; {}
        "#]],
    );
    check(
        "static f(a) { return a; } int (*fp(void))(int) { return 0; } int (f)(int x) { return x; }",
        expect![[r#"
        fn f: (a?)static <implicit> { return a; }
        fn fp: ()*(_: int)int { return 0; }
        fn f: (x: int)int { return x; }
    "#]],
    );
    check(
        "int f(void) asm(\"g\") __attribute__((noreturn)); int g(void) asm(\"name\") __attribute__((pure)); int x asm(\"y\") = 1;",
        expect![[r#"
            f: ()int asm g @noreturn;
            g: ()int asm name @pure;
            x: int asm y = 1;
        "#]],
    );
    check(
        "void f(void) { int g(int a) { return a; } auto int h(void); int h(void) { return g(1); } }",
        expect![[r#"
        fn f: ()void { fn g: (a: int)int { return a; } h: ()auto int; fn h: ()int { return g(1); } }
    "#]],
    );
    check(
        "; int a;; asm(\"nop\"); __asm__ volatile (\"\"); _Static_assert(sizeof(int) == 4, \"size\" \" of int\"); [[noreturn]] void g(void); __attribute__((cold)) int h(void) { return 1; }",
        expect![[r#"
            a: int;
            asm("nop"; out ; in ; labels )
            asm("" empty; out ; in ; labels )
            static_assert((sizeof(int) Eq 4), size of int)
            g: ()void @noreturn;
            fn h: ()int @cold { return 1; }
        "#]],
    );
}

#[test]
fn initializers() {
    check(
        "int a[] = { 1, 2, [5] = 3, [6 ... 8] = 4, [9] 5, }; int b[2][2] = {{1}, {}}; struct s c = { .x = 1, .y.z[2] = 3, w: 4 };",
        expect![[r#"
            a: []int = {1, 2, [5] = 3, [6 ... 8] = 4, [9] = 5};
            b: [2][2]int = {{1}, {}};
            c: struct s = {.x = 1, .y.z[2] = 3, .w = 4};
        "#]],
    );
    check(
        "struct s *p = &(struct s){ 1, .a = (int[]){ 1, 2 }[0] }; char t[] = { \"abc\" }; int e = {};",
        expect![[r#"
        p: *struct s = (AddressOf (struct s){1, .a = ([]int){1, 2}[0]});
        t: []char = {"abc"};
        e: int = {};
    "#]],
    );
}

#[test]
fn statements() {
    check_body(
        "if (a) b; else if (c) d; else { } while (a) ; do a++; while (b); for (;;) break; for (int i = 0; i < 3; i++) continue;",
        expect![[r#"
            fn f: (?)void { if a b; else if c d; else {} while a ; do (PostInc a); while b; for (; ; ) break; for (i: int = 0; (i Lt 3); (PostInc i)) continue; }
        "#]],
    );
    check_body(
        "switch (a) { case 1: case 2 ... 5: x; default: ; case 'a': { } }",
        expect![[r#"
        fn f: (?)void { switch a { case 1: case 2 ... 5: x; default: ; case '97': {} } }
    "#]],
    );
    check_body(
        "a: b: x; goto a; goto *p; c: }  void g() { l: int x; m: ; case 1:",
        expect![[r#"
        fn f: (?)void { a: b: x; goto a; goto *p; c: ; }
        fn g: (?)void { l: ; x: int; m: ; case 1: ; }
    "#]],
    );
    check_body(
        "if (a) if (b) c; else d;",
        expect![[r#"
        fn f: (?)void { if a if b c; else d; }
    "#]],
    );
    check_body(
        "__attribute__((fallthrough)); [[fallthrough]]; [[maybe_unused]] int x; __attribute__((unused)) int y; l: __attribute__((unused)); [[likely]] x = 1; if (a) [[unlikely]] b;",
        expect![[r#"
            fn f: (?)void { ; ; x: int @maybe_unused; y: int @unused; l: ; ; (x = 1); if a b; }
        "#]],
    );
    check_body(
        "__label__ l, m; l: ; __extension__ int x; __extension__ x = 1; static_assert(1); _Static_assert(1, \"\");",
        expect![[r#"
            fn f: (?)void { labels l m; l: ; x: int; (x = 1); static_assert(1) static_assert(1, ) }
        "#]],
    );
    check_body(
        "return; return (1); { } ; for (x = 0, y = 1; ; ) { }",
        expect![[r#"
        fn f: (?)void { return ; return 1; {} ; for (((x = 0), (y = 1)); ; ) {} }
    "#]],
    );
    check_body(
        "asm(\"nop\"); asm volatile (\"mov %1, %0\" : \"=r\"(a), [n] \"+m\" (b) : \"r\"(c) : \"memory\", \"cc\"); asm goto (\"jmp %l0\" :::: out, in); __asm__ __volatile__ (\"\" ::: \"memory\"); asm inline (\" \\n\" : : \"r\"(x));",
        expect![[r#"
            fn f: (?)void { asm("nop"; out ; in ; labels ); asm("mov %1, %0"; out a, b; in c; labels ); asm("jmp %l0"; out ; in ; labels out in); asm("" empty; out ; in ; labels ); asm(" \n" empty; out ; in x; labels ); }
        "#]],
    );
}

#[test]
fn operators() {
    check_body(
        "a = b += c ? d : e ? f : g; a , b , c; a || b && c | d ^ e & f == g < h << i + j * k;",
        expect![[r#"
        fn f: (?)void { (a = (b Add= (c ? d : (e ? f : g)))); ((a, b), c); (a || (b && (c Or (d Xor (e And (f Eq (g Lt (h Shl (i Add (j Mul k)))))))))); }
    "#]],
    );
    check_body(
        "a - b - c; a * b / c % d; !a; ~-+*&b; ++a; --a; a++ + ++b; a->b.c[d](e, f)--;",
        expect![[r#"
        fn f: (?)void { ((a Sub b) Sub c); (((a Mul b) Div c) Rem d); (Not a); (BitNot (Minus (Plus (Deref (AddressOf b))))); (PreInc a); (PreDec a); ((PostInc a) Add (PreInc b)); (PostDec a->b.c[d](e, f)); }
    "#]],
    );
    check_body(
        "a ?: b; a ? : b ?: c; a ? b, c : d; x = y ? z : (w = v);",
        expect![[r#"
        fn f: (?)void { (a ?: b); (a ?: (b ?: c)); (a ? (b, c) : d); (x = (y ? z : (w = v))); }
    "#]],
    );
    check_body(
        "a >>= 1; a <<= 2; a ^= b |= c &= d; a %= b /= c *= d; a -= b;",
        expect![[r#"
        fn f: (?)void { (a Shr= 1); (a Shl= 2); (a Xor= (b Or= (c And= d))); (a Rem= (b Div= (c Mul= d))); (a Sub= b); }
    "#]],
    );
    check_body(
        "(a), (b); ((a)); (a)(b); (*f)(a)(b); __real__ a; __imag__ a + b; __extension__ a;",
        expect![[r#"
        fn f: (?)void { (a, b); a; a(b); (Deref f)(a)(b); (Real a); ((Imag a) Add b); a; }
    "#]],
    );
}

#[test]
fn primaries() {
    check_body(
        "sizeof a; sizeof(a); sizeof(int); sizeof(int *); sizeof(int){1}; sizeof (a)[0]; sizeof (a)->b; sizeof(int[3]){0}[1]; sizeof (int) + 1; sizeof sizeof a; sizeof -a;",
        expect![[r#"
            fn f: (?)void { sizeof<a>; sizeof<a>; sizeof(int); sizeof(*int); sizeof<(int){1}>; sizeof<a[0]>; sizeof<a->b>; sizeof<([3]int){0}[1]>; (sizeof(int) Add 1); sizeof<sizeof<a>>; sizeof<(Minus a)>; }
        "#]],
    );
    check_body(
        "_Alignof(int); __alignof__ a; __alignof__(a); alignof(double);",
        expect![[r#"
        fn f: (?)void { alignof(int); alignof<a>; alignof<a>; alignof(double); }
    "#]],
    );
    check_body(
        "(int)a; (int)(a); (int)-a; (int)*a; (int *)&a; (int)(char)a + b; (struct s){1}.x; (int[]){1}[0]; (int (*)(void))a; (static int){3};",
        expect![[r#"
            fn f: (?)void { ((int) a); ((int) a); ((int) (Minus a)); ((int) (Deref a)); ((*int) (AddressOf a)); (((int) ((char) a)) Add b); (struct s){1}.x; ([]int){1}[0]; ((*()int) a); (static int){3}; }
        "#]],
    );
    check_body(
        "({ int x = 1; x; }); ({ }); ({ a; }).b; x = ({ l: a; }) + 1; &&label; goto *(&&a + b);",
        expect![[r#"
        fn f: (?)void { ({ x: int = 1; x; }); ({}); ({ a; }).b; (x = (({ l: a; }) Add 1)); &&label; goto *(&&a Add b); }
    "#]],
    );
    check_body(
        "_Generic(a, int: 1, char *: b, default: c)(d); __builtin_va_arg(ap, int *); __builtin_offsetof(struct s, a.b[2].c); __builtin_types_compatible_p(int, typeof(a)); __builtin_choose_expr(1, a, b).c; __builtin_expect(a, 1);",
        expect![[r#"
            fn f: (?)void { generic(a; int: 1; *char: b; default: c)(d); va_arg(ap, *int); offsetof(struct s, .a.b[2].c); compatible(int, typeof(a)); choose(1, a, b).c; __builtin_expect(a, 1); }
        "#]],
    );
    check_body(
        "__func__; __FUNCTION__; nullptr; true; false;",
        expect![[r#"
        fn f: (?)void { __func__; __FUNCTION__; nullptr; true; false; }
    "#]],
    );
}

#[test]
fn literals() {
    check_body(
        "0; 00; 017; 0x1F; 0b101; 1'000'000; 1u; 1L; 1ul; 1LLU; 0xffffffffffffffff; 1i; 2uz; 0x1'F;",
        expect![[r#"
            fn f: (?)void { 0; #0; #15; #31; #5; 1000000; 1u; 1l; 1ul; 1ull; #18446744073709551615; 1i; 2ul; #31; }
        "#]],
    );
    check_body(
        "1.0; .5; 1.; 1e10; 1E-3f; 1.5L; 0x1.8p3; 0x.1P-2f; 1.0F32; 1.0f64x; 1.0q; 2.0if; 1e1'0; 1.0F16; 3.5w;",
        expect![[r#"
            fn f: (?)void { 1.0:Double; .5:Double; 1.:Double; 1e10:Double; 1E-3:Float; 1.5:LongDouble; 0x1.8p3:Double; 0x.1P-2:Float; 1.0:Float; 1.0:LongDouble; 1.0:Float128; 2.0:Floati; 1e10:Double; 1.0:Float16; 3.5:LongDouble; }
        "#]],
    );
    check_body(
        "'a'; '\\n'; '\\377'; '\\xff'; 'ab'; 'abcd'; '\\''; L'a'; u'\\u00e9'; U'\\U0001F600'; 'é'; '\\e'; u8'a'; L'\\xffffffff';",
        expect![[r#"
            fn f: (?)void { '97'; '10'; '-1'; '-1'; '24930'; '1633837924'; '39'; '97:Wide'; '233:Utf16'; '128512:Utf32'; '50089'; '27'; '97:Utf8'; '-1:Wide'; }
        "#]],
    );
    check_body(
        "\"a\" \"b\"; L\"a\" \"é\"; \"é\"; u8\"é\"; u\"\u{1F600}\"; U\"\u{1F600}\"; \"\\x41\" \"1\"; \"\\1012\\0\"; \"\\u00e9\"; \"\\\"\\?\";",
        expect![[r#"
            fn f: (?)void { "ab"; Wide"a\u{e9}"; "\u{c3}\u{a9}"; Utf8"\u{c3}\u{a9}"; Utf16"\u{fffd}\u{fffd}"; Utf32"\u{1f600}"; "A1"; "A2\u{0}"; "\u{c3}\u{a9}"; "\"?"; }
        "#]],
    );
}

#[test]
fn tokens() {
    check(
        "int a<:3:> = <% 1 %>;\n%:pragma once\nint $b, c$d; int \u{e9}t\u{e9}, \\u00e9x;",
        expect![[r#"
        a: [3]int = {1};
        $b: int, c$d: int;
        été: int, éx: int;
    "#]],
    );
    check(
        "in\\\nt a\\\n; /* c * / */ int b; // x \\\n y\nint c = 1\\\n2; char *s = \"a\\\nb\"; int d = 1 +\\ \n 2 ?: 3;",
        expect![[r#"
        a: int;
        b: int;
        c: int = 12;
        s: *char = "ab";
        d: int = ((1 Add 2) ?: 3);
    "#]],
    );
    check(
        "# 1 \"f.c\" 1 3\n#line 5\n#ident \"x\"\n#\nint x;\n  # 7\nint y;",
        expect![[r#"
        x: int;
        y: int;
    "#]],
    );
    check(
        "int x = 'a' /* ' */ + \"//\"[0] /**/; int y = a+++b, z = a- --b; int c[] = { [1 ...3] = 0 }; void f() { switch (1) { case 1 ...3: ; } }",
        expect![[r#"
            x: int = ('97' Add "//"[0]);
            y: int = ((PostInc a) Add b), z: int = (a Sub (PreDec b));
            c: []int = {[1 ... 3] = 0};
            fn f: (?)void { switch 1 { case 1 ... 3: ; } }
        "#]],
    );
}
