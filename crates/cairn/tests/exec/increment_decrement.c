// Prefix and postfix ++/-- on integers, floats, pointers, bools and bit-fields.
// lp64 only
#include <stdio.h>
#include <stdbool.h>

struct bits {
    unsigned u3 : 3;
    signed s4 : 4;
    bool b : 1;
    unsigned long wide : 40;
};

static int one(int x) { return x; }

int main(void)
{
    int i = 5;
    printf("%d %d\n", one(i++), one(7));
    printf("%d\n", one(++i));
    printf("%d\n", one(i--));
    printf("%d %d\n", one(--i), one(0));
    unsigned char uc = 255;
    printf("%d ", uc++);
    printf("%d\n", uc);
    printf("%d ", --uc);
    printf("%d\n", uc--);
    signed char sc = 127;
    sc++;
    printf("%d\n", sc);
    printf("%d\n", sc--);
    float f = 0.5f;
    double d = -0.5;
    long double l = 1e18L;
    f++, ++d, l--;
    printf("%g %g %.0Lf\n", f, d, l);
    printf("%g ", f--);
    printf("%g\n", --f);
    bool b = false;
    printf("%d ", b++);
    printf("%d ", b++);
    printf("%d ", b--);
    printf("%d ", b--);
    printf("%d\n", b);
    struct bits s = { 6, 6, 0, 0xffffffffffUL };
    printf("%d ", s.u3++);
    printf("%d ", s.u3++);
    printf("%d ", s.u3--);
    printf("%d\n", s.u3);
    printf("%d ", s.s4++);
    printf("%d ", s.s4++);
    printf("%d ", s.s4);
    printf("%d\n", --s.s4);
    s.b++;
    printf("%d ", s.b);
    s.b--;
    printf("%d\n", s.b);
    s.wide++;
    printf("%lu ", (unsigned long)s.wide);
    --s.wide;
    printf("%lu\n", (unsigned long)s.wide);
    int a[] = { 10, 20, 30, 40 };
    int *p = a;
    printf("%d ", *p++);
    printf("%d ", *++p);
    printf("%d ", (*p)++);
    printf("%d ", ++*p);
    printf("%d ", *p--);
    printf("%td\n", p - a);
    const char *s1 = "text", **ps = &s1;
    ++*ps;
    printf("%c ", *(*ps)++);
    printf("%s\n", s1);
    return a[2];
}
