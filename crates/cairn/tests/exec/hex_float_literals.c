// Floating literals: hex floats, exponents, suffixes and rounding of literals.
#include <stdio.h>

int main(void)
{
    printf("%g %g %g\n", 0x1p0, 0x1.8p1, 0x.8p0);
    printf("%g %g %g\n", 0xAp-2, 0X1P+4, 0x1.fffffep127f);
    printf("%a %a\n", 0x1.23456789abcdep-3, 0x1.0p-1074);
    printf("%.17g\n", 0x1.999999999999ap-4);
    printf("%d\n", 0x1.999999999999ap-4 == 0.1);
    printf("%d\n", 0x1.99999ap-4f == 0.1f);
    printf("%g %g %g %g\n", 1., .5, 1e3, 1.e-2);
    printf("%g %g\n", 1E+2, 12e-1);
    printf("%zu %zu %zu %zu\n", sizeof 1.0, sizeof 1.0f, sizeof 1.0L, sizeof 0x1p1F);
    printf("%Lg %La\n", 0x1.8p1L, 0x1.0000000000000002p0L);
    printf("%.20Lg\n", 0.1L);
    printf("%.17g %.17g\n", 16777217.0f + 0.0, 0.1f + 0.0);
    printf("%.17g\n", 9007199254740993.0);
    printf("%.17g\n", 9007199254740992.5000000000000000000001);
    printf("%.17g\n", 2.2250738585072011e-308);
    printf("%.17g\n", 1.7976931348623157e308);
    printf("%.17g\n", 4.9406564584124654e-324);
    printf("%.17g\n", 123456789012345678901234567890.0);
    printf("%.9g\n", 1.00000017881393432617187499f);
    printf("%.9g\n", 1.00000017881393432617187501f);
    printf("%g %g\n", 100000000000000000000000.0f, 1e-45f);
    static const double table[] = { 0x1p-1, -0x1p-2, 1e2 / 3 };
    for (int i = 0; i < 3; i++)
        printf("%a ", table[i]);
    putchar('\n');
    return 0;
}
