//! Tests of diagnostics for invalid programs. One mistake gives one error.

use super::check;
use expect_test::expect;

#[test]
fn names_and_members() {
    check(
        "struct t { int a; struct t *n; };
int test(struct t *p, const int ci) {
  int x = undeclared;
  undeclared = undeclared + 1;
  p->nope = x.a = p.a;
  x->a;
  ci = 4;
  5 = x;
  int x;
  implicit(1);
  goto nowhere;
  lab: lab: ;
  return p;
}
struct t { int b; };
int test(struct t *p, const int ci) { return 0; }
union t u;",
        expect![[r#"
            3:11 error: use of undeclared identifier 'undeclared'
            5:6 error: no member named 'nope' in 'struct t'
            5:13 error: member reference base type 'int' is not a structure or union
            5:19 error: member reference base type 'struct t *' is not a structure or union
            6:3 error: member reference type 'int' is not a pointer
            7:3 error: cannot assign to lvalue with const-qualified type 'const int'
            8:3 error: expression is not assignable
            9:7 error: redefinition of 'x'
                3:7 note: previous definition is here
            10:3 warning: implicit declaration of function 'implicit'
            12:8 error: redefinition of label 'lab'
                12:3 note: previous definition is here
            13:10 warning: incompatible pointer to integer conversion returning a value of type 'int' from 'struct t *'
            11:3 error: use of undeclared label 'nowhere'
            15:8 error: redefinition of 't'
                1:8 note: previous definition is here
            16:5 error: redefinition of 'test'
                2:5 note: previous definition is here
            17:7 error: use of 't' with tag type that does not match previous declaration
                1:8 note: previous use is here
        "#]],
    );
}

#[test]
fn operators_and_conversions() {
    check(
        "struct t { int a; } *p, v; void f(void); int x; char *cp; const char *cc; int (*fp)(int);
void test(void) {
  p + p; p * 2; ~1.0; !v; *x; &5; x = f(); if (v) ;
  p = v; v = x; x = p; p = x; cp = cc; cp = p; fp = f;
  (struct t)x; (float)p; x ? p : 1.0; x ? p : cp; p == cp; p < x;
  x(); f(1); fp(); fp(p);
  x[1]; p[\"a\"]; sizeof(struct u); struct u w;
}",
        expect![[r#"
            3:3 error: invalid operands to binary expression ('struct t *' and 'struct t *')
            3:10 error: invalid operands to binary expression ('struct t *' and 'int')
            3:17 error: invalid argument type 'double' to unary expression
            3:23 error: invalid argument type 'struct t' to unary expression
            3:27 error: indirection requires pointer operand ('int' invalid)
            3:31 error: cannot take the address of an rvalue of type 'int'
            3:39 error: assigning to 'int' from incompatible type 'void'
            3:48 error: statement requires expression of scalar type ('struct t' invalid)
            4:7 error: assigning to 'struct t *' from incompatible type 'struct t'
            4:14 error: assigning to 'struct t' from incompatible type 'int'
            4:21 warning: incompatible pointer to integer conversion assigning to 'int' from 'struct t *'
            4:28 warning: incompatible integer to pointer conversion assigning to 'struct t *' from 'int'
            4:36 warning: assigning to 'char *' from 'const char *' discards qualifiers
            4:45 warning: incompatible pointer types assigning to 'char *' from 'struct t *'
            4:53 warning: incompatible pointer types assigning to 'int (*)(int)' from 'void (*)(void)'
            5:3 error: used type 'struct t' where arithmetic or pointer type is required
            5:16 error: cannot cast from type 'struct t *' to 'float'
            5:26 error: incompatible operand types ('struct t *' and 'double')
            5:39 warning: pointer type mismatch ('struct t *' and 'char *')
            5:51 warning: comparison of distinct pointer types ('struct t *' and 'char *')
            5:60 warning: comparison between pointer and integer ('struct t *' and 'int')
            6:3 error: called object type 'int' is not a function or function pointer
            6:8 error: too many arguments to function call, expected 0, have 1
            6:14 error: too few arguments to function call, expected 1, have 0
            6:23 warning: incompatible pointer to integer conversion passing to parameter of type 'int' from 'struct t *'
            7:3 error: subscripted value is not an array, pointer, or vector
            7:11 error: array subscript is not an integer
            7:17 error: invalid application of 'sizeof' to an incomplete type 'struct u'
            7:44 error: variable has incomplete type 'struct u'
        "#]],
    );
}

#[test]
fn statements() {
    check(
        "int f(int x, int *p) {
  break; continue;
  switch (x) { case 1: case 2 ... 4: case 3: default: default: ; }
  switch (p) { case 1: ; }
  case 3: default: ;
  while (x) { break; } continue;
  return;
}
void g(void) { return 1; }
_Static_assert(sizeof(int) == 8, \"int is not eight\"); _Static_assert(0);",
        expect![[r#"
            2:3 error: 'break' statement not in loop or switch statement
            2:10 error: 'continue' statement not in loop statement
            3:55 error: multiple default labels in one switch
                3:46 note: previous case defined here
            3:43 error: duplicate case value '3'
                3:29 note: previous case defined here
            4:11 error: statement requires expression of integer type ('int *' invalid)
            5:3 error: 'case' statement not in switch statement
            5:11 error: 'default' statement not in switch statement
            6:24 error: 'continue' statement not in loop statement
            7:3 warning: non-void function should return a value
            9:23 warning: void function should not return a value
            10:16 error: static assertion failed: int is not eight
            10:70 error: static assertion failed
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        "int f(int, char *); int f(long x); static int s; int s; void v; int neg[-1]; int un[];
struct { int a; int a; } dup; struct { int b : 40; int c : -1; float d : 3; void e; } bits;
int fa[3](void); void va(void x, int); typedef int T1; typedef long T1; int T1; int h(int a, int a);
enum { E = 1.5 }; int n; int m[n]; int old(a) { return a; } x;
void w(int n) { static int a[n]; int b[n] = {1}; int c[] ; enum { A, A }; }",
        expect![[r#"
            1:25 error: conflicting types for 'f': 'int (long)' and 'int (int, char *)'
                1:5 note: previous declaration is here
            1:54 error: non-static declaration of 's' follows static declaration
                1:47 note: previous declaration is here
            1:62 error: variable 'v' has incomplete type 'void'
            1:73 error: array size is negative
            2:21 error: duplicate member 'a'
            2:44 error: width of bit-field (40 bits) exceeds the width of its type (32 bits)
            2:56 error: bit-field has negative width
            2:70 error: bit-field has non-integral type 'float'
            2:82 error: field has incomplete type 'void'
            3:7 error: array of functions of type 'int (void)'
            3:31 error: argument may not have 'void' type
            3:69 error: typedef redefinition with different types ('long' vs 'int')
                3:52 note: previous definition is here
            3:77 error: redefinition of 'T1' as different kind of symbol
                3:52 note: previous definition is here
            3:98 error: redefinition of parameter 'a'
                3:91 note: previous declaration is here
            4:12 error: expression is not an integer constant expression
            4:32 error: variable length array declaration not allowed at file scope
            4:44 warning: parameter 'a' was not declared, defaults to 'int'
            4:61 warning: type specifier missing, defaults to 'int'
            5:28 error: variable length array declaration cannot have 'static' storage duration
            5:38 error: variable-sized object may not be initialized
            5:54 error: definition of variable with array type needs an explicit size or an initializer
            5:70 error: redefinition of enumerator 'A'
                5:67 note: previous definition is here
        "#]],
    );
}
