/* Conversion of text to numbers: atoi, strtol, strtod and related functions, in the "C" locale. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
/* One intrinsic in three types; the result type selects the variant. */
double parse_double(const char *text, char **end) __asm__("__cairn_parse_float");
float parse_single(const char *text, char **end) __asm__("__cairn_parse_float");
long double parse_extended(const char *text, char **end) __asm__("__cairn_parse_float");

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

/* Parses a number as sign and magnitude. Sets `*overflow` if the magnitude exceeds 64 bits. `*end` is the end of the
   number, or the start of the text if there is none. */
static unsigned long long magnitude(const char *text, const char **end, int base, int *negative, int *overflow)
{
    *end = text;
    *negative = 0;
    *overflow = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    while (is_space(*text))
        text++;
    if (*text == '-' || *text == '+')
        *negative = *text++ == '-';
    if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && digit_value(text[2]) < 16) {
        text += 2;
        base = 16;
    } else if (base == 0) {
        base = *text == '0' ? 8 : 10;
    }
    unsigned long long value = 0;
    for (int digit; (digit = digit_value(*text)) < base; text++) {
        unsigned long long next;
        if (__builtin_mul_overflow(value, (unsigned long long)base, &next) ||
            __builtin_add_overflow(next, (unsigned long long)digit, &next))
            *overflow = 1;
        value = next;
        *end = text + 1;
    }
    return value;
}

/* Returns the signed number between -highest-1 and highest, clamped with ERANGE. */
static long long signed_number(const char *text, char **end, int base, unsigned long long highest)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = magnitude(text, &stop, base, &negative, &overflow);
    if (end)
        *end = (char *)stop;
    unsigned long long limit = highest + negative;
    if (overflow || value > limit) {
        *__errno_location() = 34;
        value = limit;
    }
    return negative ? -value : value;
}

/* Returns the unsigned number up to highest, clamped with ERANGE. A minus sign negates modulo highest + 1. */
static unsigned long long unsigned_number(const char *text, char **end, int base, unsigned long long highest)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = magnitude(text, &stop, base, &negative, &overflow);
    if (end)
        *end = (char *)stop;
    if (overflow || value > highest) {
        *__errno_location() = 34;
        return highest;
    }
    return negative ? -value : value;
}

/* strtol: requires the text in bounds up to the end of the number, and `end` writable or null. */
long strtol(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ul >> 1);
}

/* strtoll: like strtol. */
long long strtoll(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1);
}

/* strtoul: like strtol. */
unsigned long strtoul(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ul);
}

/* strtoull: like strtol. */
unsigned long long strtoull(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull);
}

/* strtoimax: like strtol. */
long long strtoimax(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1);
}

/* strtoumax: like strtol. */
unsigned long long strtoumax(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull);
}

/* strtoq: like strtol. */
long long strtoq(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1);
}

/* strtouq: like strtol. */
unsigned long long strtouq(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull);
}

/* __strtol_internal: like strtol. */
long __strtol_internal(const char *text, char **end, int base, int group)
{
    return strtol(text, end, base);
}

/* Skips the prefix 0b, which in C23 means base 2 for bases 0 and 2. */
static const char *skip_binary_prefix(const char *text, int *base, int *negative)
{
    const char *p = text;
    *negative = 0;
    if (*base != 0 && *base != 2)
        return text;
    while (is_space(*p))
        p++;
    if (*p == '-' || *p == '+')
        *negative = *p++ == '-';
    if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B') && (p[2] == '0' || p[2] == '1')) {
        *base = 2;
        return p + 2;
    }
    *negative = 0;
    return text;
}

static long long signed_number_c23(const char *text, char **end, int base, unsigned long long highest)
{
    int negative;
    const char *digits = skip_binary_prefix(text, &base, &negative);
    if (!negative)
        return signed_number(digits, end, base, highest);
    int overflow, none;
    const char *stop;
    unsigned long long value = magnitude(digits, &stop, base, &none, &overflow);
    if (end)
        *end = (char *)stop;
    if (overflow || value > highest + 1) {
        *__errno_location() = 34;
        value = highest + 1;
    }
    return -value;
}

static unsigned long long unsigned_number_c23(const char *text, char **end, int base, unsigned long long highest)
{
    int negative;
    const char *digits = skip_binary_prefix(text, &base, &negative);
    int *error = __errno_location();
    int before = *error;
    *error = 0;
    unsigned long long value = unsigned_number(digits, end, base, highest);
    if (*error)
        return value;
    *error = before;
    return negative ? -value : value;
}

/* __isoc23_strtol: like strtol, with binary numbers. */
long __isoc23_strtol(const char *text, char **end, int base)
{
    return signed_number_c23(text, end, base, ~0ul >> 1);
}

/* __isoc23_strtoll: like strtol, with binary numbers. */
long long __isoc23_strtoll(const char *text, char **end, int base)
{
    return signed_number_c23(text, end, base, ~0ull >> 1);
}

/* __isoc23_strtoul: like strtol, with binary numbers. */
unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
    return unsigned_number_c23(text, end, base, ~0ul);
}

/* __isoc23_strtoull: like strtol, with binary numbers. */
unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
    return unsigned_number_c23(text, end, base, ~0ull);
}

/* __isoc23_strtoimax: like strtol, with binary numbers. */
long long __isoc23_strtoimax(const char *text, char **end, int base)
{
    return signed_number_c23(text, end, base, ~0ull >> 1);
}

/* __isoc23_strtoumax: like strtol, with binary numbers. */
unsigned long long __isoc23_strtoumax(const char *text, char **end, int base)
{
    return unsigned_number_c23(text, end, base, ~0ull);
}

/* atoi: requires the text in bounds up to the end of the number. */
int atoi(const char *text)
{
    return strtol(text, 0, 10);
}

/* atol: like atoi. */
long atol(const char *text)
{
    return strtol(text, 0, 10);
}

/* atoll: like atoi. */
long long atoll(const char *text)
{
    return strtoll(text, 0, 10);
}

/* Returns whether the text, after blanks and a sign, begins with a number rather than inf or nan. Sets `*nonzero` if a
   digit before the exponent is not zero. */
static int has_digits(const char *text, const char *end, int *nonzero)
{
    *nonzero = 0;
    while (is_space(*text))
        text++;
    if (*text == '-' || *text == '+')
        text++;
    if (*text != '.' && digit_value(*text) > 9)
        return 0;
    int hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hexadecimal)
        text += 2;
    for (; text < end; text++) {
        if (*text == (hexadecimal ? 'p' : 'e') || *text == (hexadecimal ? 'P' : 'E'))
            break;
        if (*text != '.' && *text != '0')
            *nonzero = 1;
    }
    return 1;
}

/* Sets ERANGE if the nonzero number in the text overflowed to infinity or is below the smallest normal number. */
static void check_range(const char *text, const char *end, int infinite, int tiny)
{
    int nonzero;
    if (has_digits(text, end, &nonzero) && nonzero && (infinite || tiny))
        *__errno_location() = 34;
}

/* Skips a payload in parentheses after "nan", which is part of the number but ignored. */
static char *skip_payload(char *end, int is_nan)
{
    if (!is_nan || *end != '(')
        return end;
    char *at = end + 1;
    while (digit_value(*at) < 36 || *at == '_')
        at++;
    return *at == ')' ? at + 1 : end;
}

/* strtod: requires the text in bounds up to the end of the number, and `end` writable or null. */
double strtod(const char *text, char **end)
{
    char *stop;
    double value = parse_double(text, &stop);
    double size = value < 0 ? -value : value;
    check_range(text, stop, size > 1.7976931348623157e308, size < 2.2250738585072014e-308);
    if (end)
        *end = skip_payload(stop, value != value);
    return value;
}

/* strtof: like strtod. */
float strtof(const char *text, char **end)
{
    char *stop;
    float value = parse_single(text, &stop);
    float size = value < 0 ? -value : value;
    check_range(text, stop, size > 3.4028234663852886e38f, size < 1.1754943508222875e-38f);
    if (end)
        *end = skip_payload(stop, value != value);
    return value;
}

/* strtold: like strtod. */
long double strtold(const char *text, char **end)
{
    char *stop;
    long double value = parse_extended(text, &stop);
    long double size = value < 0 ? -value : value;
    check_range(text, stop, size > 1.18973149535723176502e4932L, size < 3.36210314311209350626e-4932L);
    if (end)
        *end = skip_payload(stop, value != value);
    return value;
}

/* atof: like strtod. */
double atof(const char *text)
{
    return strtod(text, 0);
}
