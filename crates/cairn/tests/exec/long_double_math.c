// long double: conversions with integers, comparison, precision beyond double.
#include <stdio.h>

static long double poly(long double x, int n)
{
    long double r = 0;
    for (int i = n; i > 0; i--)
        r = r * x + i;
    return r;
}

struct pair {
    long double a;
    char c;
};

int main(void)
{
    long double e = 1, term = 1;
    for (int i = 1; i < 30; i++) {
        term /= i;
        e += term;
    }
    printf("%.18Lf\n", e);
    long double big = 18446744073709551615.0L;
    printf("%.0Lf %llu\n", big, (unsigned long long)big);
    big = 9223372036854775807LL;
    printf("%.0Lf %d\n", big, (double)big == big);
    printf("%lld\n", (long long)big);
    printf("%lld\n", (long long)-12345.678L);
    long double tiny = 1.0L + 0x1p-63L;
    printf("%d %d\n", tiny > 1.0L, (double)tiny > 1.0);
    printf("%.10Lf\n", poly(1.5L, 10));
    float f = 0.1L;
    double d = 0.1L;
    printf("%d %d\n", f == 0.1L, d == 0.1L);
    printf("%zu %zu %zu\n", sizeof(1.0L + 1), sizeof(1.0f * 1.0L), sizeof(struct pair));
    struct pair p = { 2.25L, 'x' }, q = p;
    q.a *= p.a;
    printf("%.4Lf %c\n", q.a, q.c);
    p.a++;
    --q.a;
    printf("%Lg %Lg\n", p.a, q.a);
    int i = 10;
    i *= 1.55L;
    printf("%d\n", i);
    i += 0.9L;
    printf("%d %d\n", i, !0.0L);
    printf("%d %d\n", (_Bool)1e-4000L, -1.0L < 0u);
    printf("%Lg\n", i ? 1.5L : 2);
    return 0;
}
