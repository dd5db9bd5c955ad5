// math.h basics printed with limited precision (constant arguments need no libm).
#include <stdio.h>
#include <math.h>

#define x 2.0
#define y -2.5
#define z 7.5

int main(void)
{
    printf("%.6f %.6f\n", sqrt(x), sqrt(x * 8));
    printf("%g %g %g\n", fabs(y), fabs(z), fabsf(-1.5f));
    printf("%g %g %g %g\n", floor(y), ceil(y), trunc(y), round(y));
    printf("%g %g %ld\n", floor(z), ceil(z), lround(z));
    printf("%g %g\n", fmod(z, x), fmod(y, x));
    printf("%.6f %.6f %.6f\n", pow(x, 10), pow(x, 0.5), pow(z, -1));
    printf("%.6f %.6f %.6f\n", sin(x), cos(x), tan(x));
    printf("%.6f %.6f %.6f\n", asin(0.5), acos(0.5), atan(x));
    printf("%.6f %.6f\n", atan2(-1, -x), hypot(3, x * 2));
    printf("%.6f %.6f %.6f %.6f\n", exp(x), log(x), log2(x * 4), log10(x * 50));
    printf("%g %g %g\n", fmax(x, y), fmin(x, y), fdim(z, x));
    printf("%g %g\n", copysign(x, y), ldexp(x, 10));
    int e;
    double m = frexp(z, &e), ip;
    printf("%g %d\n", m, e);
    m = modf(y, &ip);
    printf("%g %g\n", m, ip);
    printf("%d %d %d %d\n", isnan(x - x), isinf(HUGE_VAL) != 0, isfinite(z) != 0, signbit(y) != 0);
    printf("%d %d\n", isnan(NAN) != 0, INFINITY > 1e308);
    printf("%.6f\n", cbrt(x * 4));
    printf("%.6Lf %.6f\n", sqrtl(2.0L), sqrtf(2.0f));
    double s = 0;
    for (int i = 1; i <= 100; i++)
        s += 1.0 / (i * (double)i);
    printf("%.8f\n", s * 6);
    return 0;
}
