// Complex integers, which GNU C has: arithmetic, conversions, parts, and the layout of structs of them.
#include <stdio.h>

_Complex int global = 3 + 2i;

struct mixed { char c; _Complex short s; _Complex char cc; };

static _Complex int same(_Complex int z) { return z; }

static void show(const char *what, _Complex long long z) {
    printf("%s %lld %lld\n", what, __real__ z, __imag__ z);
}

int main(void) {
    _Complex int a = 3 + 4i, b = 1 - 2i;
    show("sum", a + b);
    show("difference", a - b);
    show("product", a * b);
    show("quotient", (7 + 3i) / (1 + 1i));
    show("real divisor", a / 2);
    show("real dividend", 20 / b);
    show("conjugate", ~a);
    show("negation", -a);
    printf("%d %d %d\n", a == b, a != b, a == 3 + 4i);

    __real__ a = 7;
    a += 2;
    a *= 1i;
    a++;
    show("changed", a);
    if (a && !(b - b))
        puts("zero is false");

    _Complex short s = 30000 + 1i;
    s = s + s;
    show("wrapped", s);
    _Complex unsigned char u = 200 + 100i;
    u += u;
    printf("%d %d\n", __real__ u, __imag__ u);

    _Complex double d = a;
    printf("%g %g\n", __real__ d, __imag__ d);
    a = d * 2;
    show("from double", a);
    int real = (int)same(global);
    printf("%d %d\n", real, __imag__ same(global));
    _Complex int row[2] = { 1, 2i };
    show("element", row[1]);
    _Complex long long wide = (_Complex long long)global * global;
    wide /= 2 - 1i;
    show("wide", wide);
    printf("%d %d %d\n", (int)sizeof(struct mixed), (int)sizeof wide, (int)_Alignof(_Complex long long));
    return 0;
}
