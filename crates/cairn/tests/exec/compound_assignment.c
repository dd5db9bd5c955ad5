// Compound assignment with conversions, on narrow types, floats and pointers.
#include <stdio.h>

static int evals;
static int *once(int *p) { evals++; return p; }

int main(void)
{
    char c = 100;
    c += 100;
    printf("%d\n", c);
    c -= 1000;
    printf("%d\n", c);
    signed char sc = 64;
    sc *= 2;
    printf("%d\n", sc);
    unsigned char uc = 10;
    uc -= 20;
    printf("%d\n", uc);
    uc /= 2.5;
    printf("%d\n", uc);
    short s = 30000;
    s += 30000;
    printf("%d\n", s);
    int i = 10;
    i *= 2.75;
    printf("%d\n", i);
    i += 0.99;
    printf("%d\n", i);
    i -= 1e3;
    printf("%d\n", i);
    i /= 0.3;
    printf("%d\n", i);
    i = -10;
    i /= 3u;
    printf("%d\n", i);
    i = -10;
    i >>= 1L;
    printf("%d\n", i);
    float f = 1;
    f += 1e-9;
    printf("%.10f\n", f);
    f *= 3;
    f /= 7;
    printf("%.8f\n", f);
    long l = 5;
    l <<= 33;
    l |= 1u << 31;
    l ^= -1;
    printf("%ld\n", l);
    unsigned u = 5;
    u += -6L;
    printf("%u\n", u);
    int a[] = { 1, 2, 3, 4, 5 };
    int *p = a;
    p += 3;
    p -= 1;
    *p *= 10;
    *p++ += 5;
    *once(p) -= 100;
    *once(a) <<= 4;
    printf("%d %d %d %d %d | %d\n", a[0], a[1], a[2], a[3], a[4], evals);
    int k = 1, m;
    a[k++] += 7;
    printf("%d %d\n", k, a[1]);
    m = k = c = 300;
    printf("%d %d %d\n", m, k, c);
    printf("%d %zu\n", (uc += 300), sizeof(uc += 1));
    double d = (i = 7.9);
    printf("%g\n", d);
    return 0;
}
