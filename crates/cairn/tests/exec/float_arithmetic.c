// float, double and long double arithmetic and rounding at each precision.
#include <stdio.h>
#include <float.h>

int main(void)
{
    float f = 1.0f / 3.0f;
    double d = 1.0 / 3.0;
    long double l = 1.0L / 3.0L;
    printf("%.20f\n%.20f\n%.20Lf\n", f, d, l);
    printf("%.20f %.20f\n", f * 3 - 1, d * 3 - 1);
    printf("%d %d\n", 0.1 + 0.2 == 0.3, 0.1f + 0.2f == 0.3f);
    printf("%.17g %.9g\n", 0.1 + 0.2, 0.1f + 0.2f);
    float sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += 0.1f;
    printf("%.9g\n", sum);
    double ds = 0;
    for (int i = 0; i < 1000; i++)
        ds += 0.1;
    printf("%.17g\n", ds);
    long double ls = 0;
    for (int i = 0; i < 1000; i++)
        ls += 0.1L;
    printf("%.20Lg\n", ls);
    double big = 1e308;
    printf("%f %f\n", big * 10, -big * 10);
    double z = 0.0;
    double nan = z * (big * 10);
    printf("%d %d %d\n", nan == nan, nan < 1, nan != nan);
    printf("%g %g\n", -z, 1 / (-1 / (big * 10)));
    printf("%d\n", -0.0 == 0.0);
    printf("%g %g %g\n", FLT_MAX, FLT_MIN, FLT_EPSILON);
    printf("%g %g %g\n", DBL_MAX, DBL_MIN, DBL_EPSILON);
    printf("%Lg %Lg %Lg\n", LDBL_MAX, LDBL_MIN, LDBL_EPSILON);
    float t = FLT_MIN;
    for (int i = 0; i < 23; i++)
        t /= 2;
    printf("%g %g\n", t, t / 2);
    printf("%.10g\n", (float)1e-46 + 1.0);
    f = 3.5f;
    f = -f;
    printf("%g %d %d\n", f, !f, !0.0);
    long double m = 1;
    for (int i = 1; i <= 25; i++)
        m *= i;
    printf("%.0Lf\n", m);
    printf("%zu %zu %zu\n", sizeof(float), sizeof(double), sizeof(long double));
    return 0;
}
