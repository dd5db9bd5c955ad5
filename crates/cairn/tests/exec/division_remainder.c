// Signed and unsigned division and remainder with all sign combinations.
#include <stdio.h>

int main(void)
{
    int n[] = { 7, -7, 0, 100, -100, 2147483647, -2147483647 - 1 };
    int d[] = { 1, 2, -2, 3, -3, 10, -10, 2147483647 };

    for (unsigned i = 0; i < sizeof n / sizeof n[0]; i++)
        for (unsigned j = 0; j < sizeof d / sizeof d[0]; j++)
            printf("%d/%d=%d r %d\n", n[i], d[j], n[i] / d[j], n[i] % d[j]);
    unsigned u = -7;
    printf("%u %u\n", u / 2, u % 10);
    printf("%u %u\n", u / -2, u % -2);
    unsigned char a = 250, b = 7;
    printf("%d %d\n", a / b, a % b);
    signed char c = -128, m = -1;
    printf("%d %d\n", c / m, c % m);
    c /= m;
    printf("%d\n", c);
    long l = -9223372036854775807L - 1;
    printf("%ld %ld\n", l / 10, l % 10);
    unsigned long ul = l;
    printf("%lu %lu\n", ul / 10, ul % 10);
    printf("%ld\n", l / 3u);
    long long q = 1000000007LL * 1000000009LL;
    printf("%lld %lld\n", q / 1000000007, q % 1000000);
    unsigned long long uq = 0xffffffffffffffffULL;
    printf("%llu %llu\n", uq / 3, uq % 1000003);
    printf("%llu\n", uq / (unsigned)-1);
    int x = -17;
    x %= 5;
    printf("%d\n", x);
    x = -17;
    x /= 4u;
    printf("%d\n", x);
    return 0;
}
