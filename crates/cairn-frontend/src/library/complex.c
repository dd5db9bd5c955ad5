/* complex.h, and what the compiler's own library does for products and quotients of complex numbers. They are computed as gcc's
   library does it, so that results agree to the last bit. */

double fabs(double);
long double fabsl(long double);
float copysignf(float, float);
double copysign(double, double);
long double copysignl(long double, long double);
float hypotf(float, float);
double hypot(double, double);
long double hypotl(long double, long double);

/* __mulsc3: nothing to check. Where both parts came out as no number, infinite operands give an infinite product (C, annex G). */
float _Complex __mulsc3(float a, float b, float c, float d)
{
    float ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    float x = ac - bd, y = ad + bc;
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        int again = 0;
        if (__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) {
            a = copysignf(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysignf(__builtin_isinf_sign(b) ? 1 : 0, b);
            if (__builtin_isnan(c))
                c = copysignf(0, c);
            if (__builtin_isnan(d))
                d = copysignf(0, d);
            again = 1;
        }
        if (__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) {
            c = copysignf(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysignf(__builtin_isinf_sign(d) ? 1 : 0, d);
            if (__builtin_isnan(a))
                a = copysignf(0, a);
            if (__builtin_isnan(b))
                b = copysignf(0, b);
            again = 1;
        }
        if (!again && (__builtin_isinf_sign(ac) || __builtin_isinf_sign(bd) || __builtin_isinf_sign(ad) || __builtin_isinf_sign(bc))) {
            if (__builtin_isnan(a))
                a = copysignf(0, a);
            if (__builtin_isnan(b))
                b = copysignf(0, b);
            if (__builtin_isnan(c))
                c = copysignf(0, c);
            if (__builtin_isnan(d))
                d = copysignf(0, d);
            again = 1;
        }
        if (again) {
            x = __builtin_inff() * (a * c - b * d);
            y = __builtin_inff() * (a * d + b * c);
        }
    }
    float _Complex product;
    __real__ product = x;
    __imag__ product = y;
    return product;
}

/* __divsc3: nothing to check; a float is divided as a double. */
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

/* crealf: nothing to check. */
float crealf(float _Complex z)
{
    return __real__ z;
}

/* cimagf: nothing to check. */
float cimagf(float _Complex z)
{
    return __imag__ z;
}

/* conjf: nothing to check. */
float _Complex conjf(float _Complex z)
{
    return ~z;
}

/* cabsf: nothing to check. */
float cabsf(float _Complex z)
{
    return hypotf(__real__ z, __imag__ z);
}

/* cprojf: nothing to check. */
float _Complex cprojf(float _Complex z)
{
    if (__builtin_isinf_sign(__real__ z) || __builtin_isinf_sign(__imag__ z)) {
        __real__ z = __builtin_inff();
        __imag__ z = copysignf(0, __imag__ z);
    }
    return z;
}

/* __muldc3: nothing to check. Where both parts came out as no number, infinite operands give an infinite product (C, annex G). */
double _Complex __muldc3(double a, double b, double c, double d)
{
    double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    double x = ac - bd, y = ad + bc;
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        int again = 0;
        if (__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) {
            a = copysign(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysign(__builtin_isinf_sign(b) ? 1 : 0, b);
            if (__builtin_isnan(c))
                c = copysign(0, c);
            if (__builtin_isnan(d))
                d = copysign(0, d);
            again = 1;
        }
        if (__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) {
            c = copysign(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysign(__builtin_isinf_sign(d) ? 1 : 0, d);
            if (__builtin_isnan(a))
                a = copysign(0, a);
            if (__builtin_isnan(b))
                b = copysign(0, b);
            again = 1;
        }
        if (!again && (__builtin_isinf_sign(ac) || __builtin_isinf_sign(bd) || __builtin_isinf_sign(ad) || __builtin_isinf_sign(bc))) {
            if (__builtin_isnan(a))
                a = copysign(0, a);
            if (__builtin_isnan(b))
                b = copysign(0, b);
            if (__builtin_isnan(c))
                c = copysign(0, c);
            if (__builtin_isnan(d))
                d = copysign(0, d);
            again = 1;
        }
        if (again) {
            x = __builtin_inf() * (a * c - b * d);
            y = __builtin_inf() * (a * d + b * c);
        }
    }
    double _Complex product;
    __real__ product = x;
    __imag__ product = y;
    return product;
}

/* __divdc3: nothing to check; Smith's method, scaled so that nothing over- or underflows on the way. */
double _Complex __divdc3(double a, double b, double c, double d)
{
    double x, y, ratio, low;
    if (fabs(c) < fabs(d)) {
        if (fabs(d) >= 0x1.fffffffffffffp+1022)
            a /= 2, b /= 2, c /= 2, d /= 2;
        if (fabs(d) < 0x1p-52
            || (fabs(a) < 0x1p-1022 && fabs(b) < 0x1.fffffffffffffp+1022 * 0x1p-52 && fabs(d) < 0x1.fffffffffffffp+1022 * 0x1p-52)
            || (fabs(b) < 0x1p-1022 && fabs(a) < 0x1.fffffffffffffp+1022 * 0x1p-52 && fabs(d) < 0x1.fffffffffffffp+1022 * 0x1p-52))
            a /= 0x1p-52, b /= 0x1p-52, c /= 0x1p-52, d /= 0x1p-52;
        ratio = c / d;
        low = c * ratio + d;
        if (fabs(ratio) > 0x1p-1022) {
            x = (a * ratio + b) / low;
            y = (b * ratio - a) / low;
        } else {
            x = (c * (a / d) + b) / low;
            y = (c * (b / d) - a) / low;
        }
    } else {
        if (fabs(c) >= 0x1.fffffffffffffp+1022)
            a /= 2, b /= 2, c /= 2, d /= 2;
        if (fabs(c) < 0x1p-52
            || (fabs(a) < 0x1p-1022 && fabs(b) < 0x1.fffffffffffffp+1022 * 0x1p-52 && fabs(c) < 0x1.fffffffffffffp+1022 * 0x1p-52)
            || (fabs(b) < 0x1p-1022 && fabs(a) < 0x1.fffffffffffffp+1022 * 0x1p-52 && fabs(c) < 0x1.fffffffffffffp+1022 * 0x1p-52))
            a /= 0x1p-52, b /= 0x1p-52, c /= 0x1p-52, d /= 0x1p-52;
        ratio = d / c;
        low = d * ratio + c;
        if (fabs(ratio) > 0x1p-1022) {
            x = (a + b * ratio) / low;
            y = (b - a * ratio) / low;
        } else {
            x = (a + d * (b / c)) / low;
            y = (b - d * (a / c)) / low;
        }
    }
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        if (c == 0 && d == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {
            x = copysign(__builtin_inf(), c) * a;
            y = copysign(__builtin_inf(), c) * b;
        } else if ((__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = copysign(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysign(__builtin_isinf_sign(b) ? 1 : 0, b);
            x = __builtin_inf() * (a * c + b * d);
            y = __builtin_inf() * (b * c - a * d);
        } else if ((__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = copysign(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysign(__builtin_isinf_sign(d) ? 1 : 0, d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    double _Complex quotient;
    __real__ quotient = x;
    __imag__ quotient = y;
    return quotient;
}

/* creal: nothing to check. */
double creal(double _Complex z)
{
    return __real__ z;
}

/* cimag: nothing to check. */
double cimag(double _Complex z)
{
    return __imag__ z;
}

/* conj: nothing to check. */
double _Complex conj(double _Complex z)
{
    return ~z;
}

/* cabs: nothing to check. */
double cabs(double _Complex z)
{
    return hypot(__real__ z, __imag__ z);
}

/* cproj: nothing to check. */
double _Complex cproj(double _Complex z)
{
    if (__builtin_isinf_sign(__real__ z) || __builtin_isinf_sign(__imag__ z)) {
        __real__ z = __builtin_inf();
        __imag__ z = copysign(0, __imag__ z);
    }
    return z;
}

/* __mulxc3: nothing to check. Where both parts came out as no number, infinite operands give an infinite product (C, annex G). */
long double _Complex __mulxc3(long double a, long double b, long double c, long double d)
{
    long double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    long double x = ac - bd, y = ad + bc;
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        int again = 0;
        if (__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) {
            a = copysignl(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysignl(__builtin_isinf_sign(b) ? 1 : 0, b);
            if (__builtin_isnan(c))
                c = copysignl(0, c);
            if (__builtin_isnan(d))
                d = copysignl(0, d);
            again = 1;
        }
        if (__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) {
            c = copysignl(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysignl(__builtin_isinf_sign(d) ? 1 : 0, d);
            if (__builtin_isnan(a))
                a = copysignl(0, a);
            if (__builtin_isnan(b))
                b = copysignl(0, b);
            again = 1;
        }
        if (!again && (__builtin_isinf_sign(ac) || __builtin_isinf_sign(bd) || __builtin_isinf_sign(ad) || __builtin_isinf_sign(bc))) {
            if (__builtin_isnan(a))
                a = copysignl(0, a);
            if (__builtin_isnan(b))
                b = copysignl(0, b);
            if (__builtin_isnan(c))
                c = copysignl(0, c);
            if (__builtin_isnan(d))
                d = copysignl(0, d);
            again = 1;
        }
        if (again) {
            x = __builtin_infl() * (a * c - b * d);
            y = __builtin_infl() * (a * d + b * c);
        }
    }
    long double _Complex product;
    __real__ product = x;
    __imag__ product = y;
    return product;
}

/* __divxc3: nothing to check; Smith's method, scaled so that nothing over- or underflows on the way. */
long double _Complex __divxc3(long double a, long double b, long double c, long double d)
{
    long double x, y, ratio, low;
    if (fabsl(c) < fabsl(d)) {
        if (fabsl(d) >= 0x1.fffffffffffffffep+16382L)
            a /= 2, b /= 2, c /= 2, d /= 2;
        if (fabsl(d) < 0x1p-63L
            || (fabsl(a) < 0x1p-16382L && fabsl(b) < 0x1.fffffffffffffffep+16382L * 0x1p-63L && fabsl(d) < 0x1.fffffffffffffffep+16382L * 0x1p-63L)
            || (fabsl(b) < 0x1p-16382L && fabsl(a) < 0x1.fffffffffffffffep+16382L * 0x1p-63L && fabsl(d) < 0x1.fffffffffffffffep+16382L * 0x1p-63L))
            a /= 0x1p-63L, b /= 0x1p-63L, c /= 0x1p-63L, d /= 0x1p-63L;
        ratio = c / d;
        low = c * ratio + d;
        if (fabsl(ratio) > 0x1p-16382L) {
            x = (a * ratio + b) / low;
            y = (b * ratio - a) / low;
        } else {
            x = (c * (a / d) + b) / low;
            y = (c * (b / d) - a) / low;
        }
    } else {
        if (fabsl(c) >= 0x1.fffffffffffffffep+16382L)
            a /= 2, b /= 2, c /= 2, d /= 2;
        if (fabsl(c) < 0x1p-63L
            || (fabsl(a) < 0x1p-16382L && fabsl(b) < 0x1.fffffffffffffffep+16382L * 0x1p-63L && fabsl(c) < 0x1.fffffffffffffffep+16382L * 0x1p-63L)
            || (fabsl(b) < 0x1p-16382L && fabsl(a) < 0x1.fffffffffffffffep+16382L * 0x1p-63L && fabsl(c) < 0x1.fffffffffffffffep+16382L * 0x1p-63L))
            a /= 0x1p-63L, b /= 0x1p-63L, c /= 0x1p-63L, d /= 0x1p-63L;
        ratio = d / c;
        low = d * ratio + c;
        if (fabsl(ratio) > 0x1p-16382L) {
            x = (a + b * ratio) / low;
            y = (b - a * ratio) / low;
        } else {
            x = (a + d * (b / c)) / low;
            y = (b - d * (a / c)) / low;
        }
    }
    if (__builtin_isnan(x) && __builtin_isnan(y)) {
        if (c == 0 && d == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {
            x = copysignl(__builtin_infl(), c) * a;
            y = copysignl(__builtin_infl(), c) * b;
        } else if ((__builtin_isinf_sign(a) || __builtin_isinf_sign(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = copysignl(__builtin_isinf_sign(a) ? 1 : 0, a);
            b = copysignl(__builtin_isinf_sign(b) ? 1 : 0, b);
            x = __builtin_infl() * (a * c + b * d);
            y = __builtin_infl() * (b * c - a * d);
        } else if ((__builtin_isinf_sign(c) || __builtin_isinf_sign(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = copysignl(__builtin_isinf_sign(c) ? 1 : 0, c);
            d = copysignl(__builtin_isinf_sign(d) ? 1 : 0, d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    long double _Complex quotient;
    __real__ quotient = x;
    __imag__ quotient = y;
    return quotient;
}

/* creall: nothing to check. */
long double creall(long double _Complex z)
{
    return __real__ z;
}

/* cimagl: nothing to check. */
long double cimagl(long double _Complex z)
{
    return __imag__ z;
}

/* conjl: nothing to check. */
long double _Complex conjl(long double _Complex z)
{
    return ~z;
}

/* cabsl: nothing to check. */
long double cabsl(long double _Complex z)
{
    return hypotl(__real__ z, __imag__ z);
}

/* cprojl: nothing to check. */
long double _Complex cprojl(long double _Complex z)
{
    if (__builtin_isinf_sign(__real__ z) || __builtin_isinf_sign(__imag__ z)) {
        __real__ z = __builtin_infl();
        __imag__ z = copysignl(0, __imag__ z);
    }
    return z;
}

/* __divcdi3: division by zero; quotients of complex integers, by Smith's method as gcc divides them. */
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

/* __udivcdi3: division by zero; the same for unsigned ones. */
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
