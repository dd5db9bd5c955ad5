// Variadic functions: ints, doubles, long long, pointers and promoted types.
#include <stdio.h>
#include <stdarg.h>

static long sum(int n, ...)
{
    va_list ap;
    long s = 0;
    va_start(ap, n);
    while (n-- > 0)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}

static void show(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    for (; *fmt; fmt++)
        switch (*fmt) {
        case 'i': printf("%d ", va_arg(ap, int)); break;
        case 'u': printf("%u ", va_arg(ap, unsigned)); break;
        case 'l': printf("%ld ", va_arg(ap, long)); break;
        case 'L': printf("%lld ", va_arg(ap, long long)); break;
        case 'd': printf("%g ", va_arg(ap, double)); break;
        case 'D': printf("%Lg ", va_arg(ap, long double)); break;
        case 's': printf("%s ", va_arg(ap, char *)); break;
        case 'c': putchar(va_arg(ap, int)); putchar(' '); break;
        case 'p': printf("%d ", *va_arg(ap, int *)); break;
        case 'f': printf("%d ", va_arg(ap, int (*)(int))(5)); break;
        }
    va_end(ap);
    putchar('\n');
}

static int sq(int x) { return x * x; }

static const char *last(const char *first, ...)
{
    va_list ap;
    const char *s, *r = first;
    va_start(ap, first);
    while ((s = va_arg(ap, const char *)))
        r = s;
    va_end(ap);
    return r;
}

int main(void)
{
    printf("%ld %ld %ld\n", sum(0), sum(3, 1, 2, 3), sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, -100));
    char c = -5;
    short s = 300;
    float f = 0.75f;
    _Bool b = 7;
    unsigned char uc = 200;
    int x = 99;
    show("iiiiid", c, s, b, uc, 'A', f);
    show("ulLs", 4000000000u, -2000000000L, 1LL << 62, "str");
    show("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    show("idididididididid", 1, .1, 2, .2, 3, .3, 4, .4, 5, .5, 6, .6, 7, .7, 8, .8);
    show("iDiDc", 1, 2.5L, 3, 4.5L, 'z');
    show("psfp", &x, "mid", sq, &(int){ 3 });
    show("");
    printf("%s %s\n", last("only", (char *)0), last("a", "b", "c", (char *)0));
    int (*vp)(const char *, ...) = printf;
    vp("%d-%s\n", 5, "via pointer");
    return 0;
}
