/* math.h: what is a matter of bits rather than of analysis. The others (sqrt, sin, pow, floor, …) are operations of the IR. */

typedef union { double value; unsigned long long bits; } double_bits;
typedef union { float value; unsigned int bits; } float_bits;
typedef union { long double value; struct { unsigned long long mantissa; unsigned short exponent; } parts; } long_double_bits;

double trunc(double);
float truncf(float);
long double truncl(long double);
double round(double);
float roundf(float);
long double roundl(long double);
double rint(double);
float rintf(float);
long double rintl(long double);
double copysign(double, double);
float copysignf(float, float);
long double copysignl(long double, long double);
int *__errno_location(void);

/* frexp: the exponent writable. */
double frexp(double value, int *exponent)
{
    double_bits x = { value };
    int e = x.bits >> 52 & 0x7ff;
    *exponent = 0;
    if (value == 0 || e == 0x7ff)
        return value;
    int shift = 0;
    if (e == 0) {
        x.value *= 0x1p64;
        e = x.bits >> 52 & 0x7ff;
        shift = 64;
    }
    *exponent = e - 1022 - shift;
    x.bits = (x.bits & 0x800fffffffffffffull) | 1022ull << 52;
    return x.value;
}

/* frexpf: as frexp. */
float frexpf(float value, int *exponent)
{
    return frexp(value, exponent);
}

/* frexpl: as frexp. */
long double frexpl(long double value, int *exponent)
{
    long_double_bits x = { value };
    int e = x.parts.exponent & 0x7fff;
    *exponent = 0;
    if (value == 0 || e == 0x7fff)
        return value;
    int shift = 0;
    if (e == 0) {
        x.value *= 0x1p64L;
        e = x.parts.exponent & 0x7fff;
        shift = 64;
    }
    *exponent = e - 16382 - shift;
    x.parts.exponent = (x.parts.exponent & 0x8000) | 16382;
    return x.value;
}

/* Two to the power of an exponent in the normal range. */
static double power_of_two(int exponent)
{
    double_bits x = { .bits = (unsigned long long)(exponent + 1023) << 52 };
    return x.value;
}

static long double power_of_two_l(int exponent)
{
    long_double_bits x = { 0 };
    x.parts.mantissa = 1ull << 63;
    x.parts.exponent = exponent + 16383;
    return x.value;
}

/* value * 2^exponent, rounded once: on the way down the value stays normal until the last step. */
static double scale(double value, int exponent)
{
    for (int i = 0; i < 2 && exponent > 1023; i++) {
        value *= 0x1p1023;
        exponent -= 1023;
    }
    for (int i = 0; i < 2 && exponent < -1022; i++) {
        value *= 0x1p-1022 * 0x1p53;
        exponent += 1022 - 53;
    }
    if (exponent > 1023)
        exponent = 1023;
    if (exponent < -1022)
        exponent = -1022;
    return value * power_of_two(exponent);
}

static long double scale_l(long double value, int exponent)
{
    for (int i = 0; i < 2 && exponent > 16383; i++) {
        value *= 0x1p16383L;
        exponent -= 16383;
    }
    for (int i = 0; i < 2 && exponent < -16382; i++) {
        value *= 0x1p-16382L * 0x1p64L;
        exponent += 16382 - 64;
    }
    if (exponent > 16383)
        exponent = 16383;
    if (exponent < -16382)
        exponent = -16382;
    return value * power_of_two_l(exponent);
}

/* Sets ERANGE when a finite value that is not zero became infinite or zero. */
static void check_range(int was_plain, int is_extreme)
{
    if (was_plain && is_extreme)
        *__errno_location() = 34;
}

/* ldexp: no checks. */
double ldexp(double value, int exponent)
{
    double result = scale(value, exponent);
    check_range(value != 0 && __builtin_isfinite(value), result == 0 || !__builtin_isfinite(result));
    return result;
}

/* ldexpf: no checks. */
float ldexpf(float value, int exponent)
{
    float result = scale(value, exponent);
    check_range(value != 0 && __builtin_isfinite(value), result == 0 || !__builtin_isfinite(result));
    return result;
}

/* ldexpl: no checks. */
long double ldexpl(long double value, int exponent)
{
    long double result = scale_l(value, exponent);
    check_range(value != 0 && __builtin_isfinite(value), result == 0 || !__builtin_isfinite(result));
    return result;
}

/* scalbn: as ldexp. */
double scalbn(double value, int exponent)
{
    return ldexp(value, exponent);
}

/* scalbln: as ldexp. */
double scalbln(double value, long exponent)
{
    return ldexp(value, exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent);
}

/* modf: the whole part writable. */
double modf(double value, double *whole)
{
    *whole = trunc(value);
    return copysign(__builtin_isinf(value) ? 0 : value - *whole, value);
}

/* nearbyint: no checks. */
double nearbyint(double value)
{
    return rint(value);
}

/* logb: no checks. */
double logb(double value)
{
    int exponent;
    if (value == 0)
        return -1 / (value * value);
    if (!__builtin_isfinite(value))
        return value * value;
    frexp(value, &exponent);
    return exponent - 1;
}

/* ilogb: no checks. */
int ilogb(double value)
{
    int exponent;
    if (value == 0 || __builtin_isnan(value))
        return -2147483647 - 1;
    if (__builtin_isinf(value))
        return 2147483647;
    frexp(value, &exponent);
    return exponent - 1;
}

/* lround: no checks. */
long lround(double value)
{
    return round(value);
}

/* llround: no checks. */
long long llround(double value)
{
    return round(value);
}

/* lrint: no checks. */
long lrint(double value)
{
    return rint(value);
}

/* llrint: no checks. */
long long llrint(double value)
{
    return rint(value);
}

/* isnan: no checks. */
int isnan(double value)
{
    return __builtin_isnan(value);
}

/* isinf: no checks. */
int isinf(double value)
{
    return __builtin_isinf(value) ? (value < 0 ? -1 : 1) : 0;
}

/* finite: no checks. */
int finite(double value)
{
    return __builtin_isfinite(value) != 0;
}

/* __isnan: no checks. */
int __isnan(double value)
{
    return __builtin_isnan(value);
}

/* __isinf: no checks. */
int __isinf(double value)
{
    return isinf(value);
}

/* __finite: no checks. */
int __finite(double value)
{
    return __builtin_isfinite(value) != 0;
}

/* __signbit: no checks. */
int __signbit(double value)
{
    return __builtin_signbit(value) != 0;
}

/* __fpclassify: no checks. */
int __fpclassify(double value)
{
    if (__builtin_isnan(value))
        return 0;
    if (__builtin_isinf(value))
        return 1;
    if (value == 0)
        return 2;
    return (value < 0 ? -value : value) < 0x1p-1022 ? 3 : 4;
}

/* nan: the text's first byte in bounds; the payload is ignored. */
double nan(const char *text)
{
    (void)*(const volatile char *)text;
    return __builtin_nan("");
}

/* scalbnf: as ldexpf. */
float scalbnf(float value, int exponent)
{
    return ldexpf(value, exponent);
}

/* scalblnf: as ldexpf. */
float scalblnf(float value, long exponent)
{
    return ldexpf(value, exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent);
}

/* modff: the whole part writable. */
float modff(float value, float *whole)
{
    *whole = truncf(value);
    return copysignf(__builtin_isinf(value) ? 0 : value - *whole, value);
}

/* nearbyintf: no checks. */
float nearbyintf(float value)
{
    return rintf(value);
}

/* logbf: no checks. */
float logbf(float value)
{
    int exponent;
    if (value == 0)
        return -1 / (value * value);
    if (!__builtin_isfinite(value))
        return value * value;
    frexpf(value, &exponent);
    return exponent - 1;
}

/* ilogbf: no checks. */
int ilogbf(float value)
{
    int exponent;
    if (value == 0 || __builtin_isnan(value))
        return -2147483647 - 1;
    if (__builtin_isinf(value))
        return 2147483647;
    frexpf(value, &exponent);
    return exponent - 1;
}

/* lroundf: no checks. */
long lroundf(float value)
{
    return roundf(value);
}

/* llroundf: no checks. */
long long llroundf(float value)
{
    return roundf(value);
}

/* lrintf: no checks. */
long lrintf(float value)
{
    return rintf(value);
}

/* llrintf: no checks. */
long long llrintf(float value)
{
    return rintf(value);
}

/* isnanf: no checks. */
int isnanf(float value)
{
    return __builtin_isnan(value);
}

/* isinff: no checks. */
int isinff(float value)
{
    return __builtin_isinf(value) ? (value < 0 ? -1 : 1) : 0;
}

/* finitef: no checks. */
int finitef(float value)
{
    return __builtin_isfinite(value) != 0;
}

/* __isnanf: no checks. */
int __isnanf(float value)
{
    return __builtin_isnan(value);
}

/* __isinff: no checks. */
int __isinff(float value)
{
    return isinff(value);
}

/* __finitef: no checks. */
int __finitef(float value)
{
    return __builtin_isfinite(value) != 0;
}

/* __signbitf: no checks. */
int __signbitf(float value)
{
    return __builtin_signbit(value) != 0;
}

/* __fpclassifyf: no checks. */
int __fpclassifyf(float value)
{
    if (__builtin_isnan(value))
        return 0;
    if (__builtin_isinf(value))
        return 1;
    if (value == 0)
        return 2;
    return (value < 0 ? -value : value) < 0x1p-126f ? 3 : 4;
}

/* nanf: the text's first byte in bounds; the payload is ignored. */
float nanf(const char *text)
{
    (void)*(const volatile char *)text;
    return __builtin_nan("");
}

/* scalbnl: as ldexpl. */
long double scalbnl(long double value, int exponent)
{
    return ldexpl(value, exponent);
}

/* scalblnl: as ldexpl. */
long double scalblnl(long double value, long exponent)
{
    return ldexpl(value, exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent);
}

/* modfl: the whole part writable. */
long double modfl(long double value, long double *whole)
{
    *whole = truncl(value);
    return copysignl(__builtin_isinf(value) ? 0 : value - *whole, value);
}

/* nearbyintl: no checks. */
long double nearbyintl(long double value)
{
    return rintl(value);
}

/* logbl: no checks. */
long double logbl(long double value)
{
    int exponent;
    if (value == 0)
        return -1 / (value * value);
    if (!__builtin_isfinite(value))
        return value * value;
    frexpl(value, &exponent);
    return exponent - 1;
}

/* ilogbl: no checks. */
int ilogbl(long double value)
{
    int exponent;
    if (value == 0 || __builtin_isnan(value))
        return -2147483647 - 1;
    if (__builtin_isinf(value))
        return 2147483647;
    frexpl(value, &exponent);
    return exponent - 1;
}

/* lroundl: no checks. */
long lroundl(long double value)
{
    return roundl(value);
}

/* llroundl: no checks. */
long long llroundl(long double value)
{
    return roundl(value);
}

/* lrintl: no checks. */
long lrintl(long double value)
{
    return rintl(value);
}

/* llrintl: no checks. */
long long llrintl(long double value)
{
    return rintl(value);
}

/* isnanl: no checks. */
int isnanl(long double value)
{
    return __builtin_isnan(value);
}

/* isinfl: no checks. */
int isinfl(long double value)
{
    return __builtin_isinf(value) ? (value < 0 ? -1 : 1) : 0;
}

/* finitel: no checks. */
int finitel(long double value)
{
    return __builtin_isfinite(value) != 0;
}

/* __isnanl: no checks. */
int __isnanl(long double value)
{
    return __builtin_isnan(value);
}

/* __isinfl: no checks. */
int __isinfl(long double value)
{
    return isinfl(value);
}

/* __finitel: no checks. */
int __finitel(long double value)
{
    return __builtin_isfinite(value) != 0;
}

/* __signbitl: no checks. */
int __signbitl(long double value)
{
    return __builtin_signbit(value) != 0;
}

/* __fpclassifyl: no checks. */
int __fpclassifyl(long double value)
{
    if (__builtin_isnan(value))
        return 0;
    if (__builtin_isinf(value))
        return 1;
    if (value == 0)
        return 2;
    return (value < 0 ? -value : value) < 0x1p-16382L ? 3 : 4;
}

/* nanl: the text's first byte in bounds; the payload is ignored. */
long double nanl(const char *text)
{
    (void)*(const volatile char *)text;
    return __builtin_nan("");
}

/* nextafter: no checks. */
double nextafter(double from, double to)
{
    double_bits x = { from };
    if (__builtin_isnan(from) || __builtin_isnan(to))
        return from + to;
    if (from == to)
        return to;
    if (from == 0) {
        x.bits = 1;
        return copysign(x.value, to);
    }
    if ((from < to) == (from > 0))
        x.bits++;
    else
        x.bits--;
    check_range(1, x.value == 0 || !__builtin_isfinite(x.value));
    return x.value;
}

/* nextafterf: no checks. */
float nextafterf(float from, float to)
{
    float_bits x = { from };
    if (__builtin_isnan(from) || __builtin_isnan(to))
        return from + to;
    if (from == to)
        return to;
    if (from == 0) {
        x.bits = 1;
        return copysignf(x.value, to);
    }
    if ((from < to) == (from > 0))
        x.bits++;
    else
        x.bits--;
    check_range(1, x.value == 0 || !__builtin_isfinite(x.value));
    return x.value;
}
