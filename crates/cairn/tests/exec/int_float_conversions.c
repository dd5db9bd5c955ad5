// Conversions between integers and floating types, both directions.
#include <stdio.h>

int main(void)
{
    double ds[] = { 0.0, 0.99, -0.99, 1.5, -1.5, 127.9, 255.99, 65535.5, 2147483646.75 };
    for (unsigned i = 0; i < sizeof ds / sizeof *ds; i++)
        printf("%d %ld %lld\n", (int)ds[i], (long)ds[i], (long long)(float)ds[i]);
    printf("%u\n", (unsigned)4294967295.0);
    printf("%lu\n", (unsigned long)18446744073709549568.0);
    printf("%d %d\n", (unsigned char)200.7, (signed char)-100.9);
    printf("%.1f %.1f\n", (double)4294967295u, (double)-1);
    printf("%.1f\n", (double)0xffffffffffffffffULL);
    printf("%.1f\n", (double)0x8000000000000401ULL);
    printf("%.1f\n", (float)16777217);
    printf("%.1f\n", (float)0x7fffffff);
    printf("%.1f\n", (double)9007199254740993LL);
    printf("%.1f\n", (float)0xffffff7fffffffffULL);
    float f = 16777216.0f;
    f += 1;
    printf("%.1f\n", f);
    f = 0.1;
    printf("%d %.17g %.17g\n", f == 0.1, f, 0.1);
    int i = 7;
    printf("%g %g %g\n", i / 2 * 1.0, i / 2.0, (float)i / 2);
    i = 3.99;
    printf("%d\n", i);
    unsigned u = 3000000000u;
    printf("%.1f %.1f\n", u + 0.5, u * 2.0f);
    long l = -3;
    printf("%g\n", l * 0.5);
    char c = 'A' + 0.6;
    printf("%c\n", c);
    printf("%d\n", (int)1e9 + (int)1e-9);
    printf("%zu %zu %zu\n", sizeof(1 + 1.f), sizeof(1L + 1.f), sizeof(1.f + 1.));
    return 0;
}
