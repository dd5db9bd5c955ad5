/* math.h: functions that work on the representation. The others (sqrt, sin, pow, floor, …) are intrinsics of the IR. */

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

/* frexp: requires a writable exponent. */
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

/* frexpf: like frexp. */
float frexpf(float value, int *exponent)
{
    return frexp(value, exponent);
}

/* frexpl: like frexp. */
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

/* Returns two to the power of an exponent in the normal range. */
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

/* Computes value * 2^exponent, rounded once. A value that is scaled down stays normal until the last step. */
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

/* Sets ERANGE if a finite nonzero value became infinite or zero. */
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

/* REAL: float, double, long double */

/* scalbnSUFFIX: like ldexpSUFFIX. */
REAL scalbnSUFFIX(REAL value, int exponent)
{
    return ldexpSUFFIX(value, exponent);
}

/* scalblnSUFFIX: like ldexpSUFFIX. */
REAL scalblnSUFFIX(REAL value, long exponent)
{
    return ldexpSUFFIX(value, exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent);
}

/* modfSUFFIX: requires a writable `whole`. */
REAL modfSUFFIX(REAL value, REAL *whole)
{
    *whole = truncSUFFIX(value);
    return copysignSUFFIX(__builtin_isinf(value) ? 0 : value - *whole, value);
}

/* nearbyintSUFFIX: no checks. */
REAL nearbyintSUFFIX(REAL value)
{
    return rintSUFFIX(value);
}

/* logbSUFFIX: no checks. */
REAL logbSUFFIX(REAL value)
{
    int exponent;
    if (value == 0)
        return -1 / (value * value);
    if (!__builtin_isfinite(value))
        return value * value;
    frexpSUFFIX(value, &exponent);
    return exponent - 1;
}

/* ilogbSUFFIX: no checks. */
int ilogbSUFFIX(REAL value)
{
    int exponent;
    if (value == 0 || __builtin_isnan(value))
        return -2147483647 - 1;
    if (__builtin_isinf(value))
        return 2147483647;
    frexpSUFFIX(value, &exponent);
    return exponent - 1;
}

/* lroundSUFFIX: no checks. */
long lroundSUFFIX(REAL value)
{
    return roundSUFFIX(value);
}

/* llroundSUFFIX: no checks. */
long long llroundSUFFIX(REAL value)
{
    return roundSUFFIX(value);
}

/* lrintSUFFIX: no checks. */
long lrintSUFFIX(REAL value)
{
    return rintSUFFIX(value);
}

/* llrintSUFFIX: no checks. */
long long llrintSUFFIX(REAL value)
{
    return rintSUFFIX(value);
}

/* isnanSUFFIX: no checks. */
int isnanSUFFIX(REAL value)
{
    return __builtin_isnan(value);
}

/* isinfSUFFIX: no checks. */
int isinfSUFFIX(REAL value)
{
    return __builtin_isinf(value) ? (value < 0 ? -1 : 1) : 0;
}

/* finiteSUFFIX: no checks. */
int finiteSUFFIX(REAL value)
{
    return __builtin_isfinite(value) != 0;
}

/* __isnanSUFFIX: no checks. */
int __isnanSUFFIX(REAL value)
{
    return __builtin_isnan(value);
}

/* __isinfSUFFIX: no checks. */
int __isinfSUFFIX(REAL value)
{
    return isinfSUFFIX(value);
}

/* __finiteSUFFIX: no checks. */
int __finiteSUFFIX(REAL value)
{
    return __builtin_isfinite(value) != 0;
}

/* __signbitSUFFIX: no checks. */
int __signbitSUFFIX(REAL value)
{
    return __builtin_signbit(value) != 0;
}

/* __fpclassifySUFFIX: no checks. */
int __fpclassifySUFFIX(REAL value)
{
    if (__builtin_isnan(value))
        return 0;
    if (__builtin_isinf(value))
        return 1;
    if (value == 0)
        return 2;
    const REAL least = sizeof(REAL) == 4 ? 0x1p-126 : sizeof(REAL) == 8 ? 0x1p-1022 : 0x1p-16382L;
    return (value < 0 ? -value : value) < least ? 3 : 4;
}

/* nanSUFFIX: requires the first byte of the text in bounds. The payload is ignored. */
REAL nanSUFFIX(const char *text)
{
    (void)*(const volatile char *)text;
    return __builtin_nan("");
}

/* REAL: end */

/* REAL: float, double */

/* nextafterSUFFIX: no checks. */
REAL nextafterSUFFIX(REAL from, REAL to)
{
    REAL_bits x = { from };
    if (__builtin_isnan(from) || __builtin_isnan(to))
        return from + to;
    if (from == to)
        return to;
    if (from == 0) {
        x.bits = 1;
        return copysignSUFFIX(x.value, to);
    }
    if ((from < to) == (from > 0))
        x.bits++;
    else
        x.bits--;
    check_range(1, x.value == 0 || !__builtin_isfinite(x.value));
    return x.value;
}

/* REAL: end */
