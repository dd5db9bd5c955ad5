// printf of floating values: %f %e %g %a and their flags, widths and precisions.
#include <stdio.h>

int main(void)
{
    double v[] = { 0.0, -0.0, 1.0, -1.5, 0.1, 123456789.0, 1e-5, 1e-4, 9.9999995,
                   1e15, 1e16, 1e100, 5e-324, 2.5, 3.5, 0.5, 1.0 / 3 };
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        printf("[%f] [%e] [%g] [%a]\n", v[i], v[i], v[i], v[i]);
        printf("[%.0f] [%.1e] [%.3g] [%.2a]\n", v[i], v[i], v[i], v[i]);
    }
    printf("[%10.3f] [%-10.3f] [%+.2f] [% .2f] [%010.2f]\n", 3.14159, 3.14159, 3.14159, 3.14159, -3.14159);
    printf("[%#.0f] [%#g] [%G] [%E]\n", 3.0, 1.0, 1e-10, 12345.678);
    printf("[%F] [%A]\n", 1.25, 255.5);
    printf("[%*.*f]\n", 12, 4, 2.718281828);
    printf("[%-*.*e]\n", 14, 2, 2.718281828);
    printf("[%Lf] [%Le] [%Lg] [%.25Lf]\n", 1.1L, 1.1L, 1.1L, 1.1L);
    printf("[%La] [%La] [%La]\n", 1.0L, 0.1L, -3.75L);
    printf("[%lf] [%5.1f] [%.10g]\n", 2.0f, 99.95f, 0.1f);
    double inf = 1e300 * 1e300;
    printf("[%f] [%5.1f] [%-6g] [%F] [%+e]\n", inf, -inf, inf, inf, inf);
    printf("[%010f]\n", inf);
    printf("[%.40f]\n", 0.1);
    printf("[%.0f]\n", 1e22);
    printf("[%.15g] [%.17g]\n", 0.3, 0.3);
    printf("[%g] [%g] [%g]\n", 100000.0, 1000000.0, 1234567.0);
    printf("[%.0e] [%.0g] [%#.3g]\n", 15.0, 15.0, 2.0);
    return 0;
}
