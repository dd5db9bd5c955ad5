/* complex.h, and the compiler's runtime functions for products and quotients of complex numbers. They follow gcc's
   library, so that results agree to the last bit. */

double fabs(double);
long double fabsl(long double);
float copysignf(float, float);
double copysign(double, double);
long double copysignl(long double, long double);
float hypotf(float, float);
double hypot(double, double);
long double hypotl(long double, long double);

/* REAL: float, double, long double */

/* __mulMODEc3: no checks. If both parts are NaN, infinite operands give an infinite product (C, annex G). */
REAL _Complex __mulMODEc3(REAL a, REAL b, REAL c, REAL d)
{
    REAL ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    REAL x = ac - bd, y = ad + bc;
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        int again = 0;
        if (__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) {
            a = copysignSUFFIX(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysignSUFFIX(__builtin_isinf_sign(b) ? 1 : 0, b);
            if (__builtin_isnan(c))
                c = copysignSUFFIX(0, c);
            if (__builtin_isnan(d))
                d = copysignSUFFIX(0, d);
            again = 1;
        }
        if (__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) {
            c = copysignSUFFIX(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysignSUFFIX(__builtin_isinf_sign(d) ? 1 : 0, d);
            if (__builtin_isnan(a))
                a = copysignSUFFIX(0, a);
            if (__builtin_isnan(b))
                b = copysignSUFFIX(0, b);
            again = 1;
        }
        if (!again && (__builtin_isinf_sign(ac) || __builtin_isinf_sign(bd) || __builtin_isinf_sign(ad) || __builtin_isinf_sign(bc))) {
            if (__builtin_isnan(a))
                a = copysignSUFFIX(0, a);
            if (__builtin_isnan(b))
                b = copysignSUFFIX(0, b);
            if (__builtin_isnan(c))
                c = copysignSUFFIX(0, c);
            if (__builtin_isnan(d))
                d = copysignSUFFIX(0, d);
            again = 1;
        }
        if (again) {
            x = __builtin_infSUFFIX() * (a * c - b * d);
            y = __builtin_infSUFFIX() * (a * d + b * c);
        }
    }
    REAL _Complex product;
    __real__ product = x;
    __imag__ product = y;
    return product;
}

/* crealSUFFIX: no checks. */
REAL crealSUFFIX(REAL _Complex z)
{
    return __real__ z;
}

/* cimagSUFFIX: no checks. */
REAL cimagSUFFIX(REAL _Complex z)
{
    return __imag__ z;
}

/* conjSUFFIX: no checks. */
REAL _Complex conjSUFFIX(REAL _Complex z)
{
    return ~z;
}

/* cabsSUFFIX: no checks. */
REAL cabsSUFFIX(REAL _Complex z)
{
    return hypotSUFFIX(__real__ z, __imag__ z);
}

/* cprojSUFFIX: no checks. */
REAL _Complex cprojSUFFIX(REAL _Complex z)
{
    if (__builtin_isinf_sign(__real__ z) || __builtin_isinf_sign(__imag__ z)) {
        __real__ z = __builtin_infSUFFIX();
        __imag__ z = copysignSUFFIX(0, __imag__ z);
    }
    return z;
}

/* REAL: end */

/* __divsc3: no checks. Divides in double precision. */
float _Complex __divsc3(float a, float b, float c, float d)
{
    double low = (double)c * c + (double)d * d;
    float x = ((double)a * c + (double)b * d) / low;
    float y = ((double)b * c - (double)a * d) / low;
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        if (c == 0 && d == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {
            x = copysignf(__builtin_inff(), c) * a;
            y = copysignf(__builtin_inff(), c) * b;
        } else if ((__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = copysignf(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysignf(__builtin_isinf_sign(b) ? 1 : 0, b);
            x = __builtin_inff() * (a * c + b * d);
            y = __builtin_inff() * (b * c - a * d);
        } else if ((__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = copysignf(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysignf(__builtin_isinf_sign(d) ? 1 : 0, d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    float _Complex quotient;
    __real__ quotient = x;
    __imag__ quotient = y;
    return quotient;
}

/* REAL: double, long double */

/* __divMODEc3: no checks. Uses Smith's method, scaled to avoid intermediate overflow and underflow. */
REAL _Complex __divMODEc3(REAL a, REAL b, REAL c, REAL d)
{
    const REAL huge = sizeof(REAL) == 8 ? 0x1.fffffffffffffp+1022 : 0x1.fffffffffffffffep+16382L;
    const REAL least = sizeof(REAL) == 8 ? 0x1p-1022 : 0x1p-16382L, step = sizeof(REAL) == 8 ? 0x1p-52 : 0x1p-63L;
    REAL x, y, ratio, low;
    if (fabsSUFFIX(c) < fabsSUFFIX(d)) {
        if (fabsSUFFIX(d) >= huge)
            a /= 2, b /= 2, c /= 2, d /= 2;
        if (fabsSUFFIX(d) < step
            || (fabsSUFFIX(a) < least && fabsSUFFIX(b) < huge * step && fabsSUFFIX(d) < huge * step)
            || (fabsSUFFIX(b) < least && fabsSUFFIX(a) < huge * step && fabsSUFFIX(d) < huge * step))
            a /= step, b /= step, c /= step, d /= step;
        ratio = c / d;
        low = c * ratio + d;
        if (fabsSUFFIX(ratio) > least) {
            x = (a * ratio + b) / low;
            y = (b * ratio - a) / low;
        } else {
            x = (c * (a / d) + b) / low;
            y = (c * (b / d) - a) / low;
        }
    } else {
        if (fabsSUFFIX(c) >= huge)
            a /= 2, b /= 2, c /= 2, d /= 2;
        if (fabsSUFFIX(c) < step
            || (fabsSUFFIX(a) < least && fabsSUFFIX(b) < huge * step && fabsSUFFIX(c) < huge * step)
            || (fabsSUFFIX(b) < least && fabsSUFFIX(a) < huge * step && fabsSUFFIX(c) < huge * step))
            a /= step, b /= step, c /= step, d /= step;
        ratio = d / c;
        low = d * ratio + c;
        if (fabsSUFFIX(ratio) > least) {
            x = (a + b * ratio) / low;
            y = (b - a * ratio) / low;
        } else {
            x = (a + d * (b / c)) / low;
            y = (b - d * (a / c)) / low;
        }
    }
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        if (c == 0 && d == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {
            x = copysignSUFFIX(__builtin_infSUFFIX(), c) * a;
            y = copysignSUFFIX(__builtin_infSUFFIX(), c) * b;
        } else if ((__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = copysignSUFFIX(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysignSUFFIX(__builtin_isinf_sign(b) ? 1 : 0, b);
            x = __builtin_infSUFFIX() * (a * c + b * d);
            y = __builtin_infSUFFIX() * (b * c - a * d);
        } else if ((__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = copysignSUFFIX(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysignSUFFIX(__builtin_isinf_sign(d) ? 1 : 0, d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    REAL _Complex quotient;
    __real__ quotient = x;
    __imag__ quotient = y;
    return quotient;
}

/* REAL: end */

/* __divcdi3: checks for division by zero. Divides complex integers by Smith's method, like gcc. */
long long _Complex __divcdi3(long long a, long long b, long long c, long long d)
{
    long long _Complex quotient;
    if ((c < 0 ? -c : c) < (d < 0 ? -d : d)) {
        long long ratio = c / d, divisor = c * ratio + d;
        __real__ quotient = (a * ratio + b) / divisor;
        __imag__ quotient = (b * ratio - a) / divisor;
    } else {
        long long ratio = d / c, divisor = d * ratio + c;
        __real__ quotient = (b * ratio + a) / divisor;
        __imag__ quotient = (b - a * ratio) / divisor;
    }
    return quotient;
}

/* __udivcdi3: checks for division by zero. Divides unsigned complex integers by Smith's method. */
unsigned long long _Complex __udivcdi3(unsigned long long a, unsigned long long b, unsigned long long c, unsigned long long d)
{
    unsigned long long _Complex quotient;
    if (c < d) {
        unsigned long long ratio = c / d, divisor = c * ratio + d;
        __real__ quotient = (a * ratio + b) / divisor;
        __imag__ quotient = (b * ratio - a) / divisor;
    } else {
        unsigned long long ratio = d / c, divisor = d * ratio + c;
        __real__ quotient = (b * ratio + a) / divisor;
        __imag__ quotient = (b - a * ratio) / divisor;
    }
    return quotient;
}
