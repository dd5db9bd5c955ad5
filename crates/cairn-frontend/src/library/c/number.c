/* Conversion of text to numbers: atoi, strtol, strtod and related functions, in the "C" locale. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
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

/* The prefix of a number: a leading 0, and a letter behind it that selects a base. */
struct prefix {
    int zero, hexadecimal, binary;
};

/* Finds the prefix of the number in a text. Without branches that depend on the text, so that no path is split. */
static struct prefix find_prefix(const char *text, size_t length)
{
    struct prefix found = {0, 0, 0};
    int blank = 1, open = 1;
    for (size_t i = 0; i < length; i++) {
        unsigned c = (unsigned char)text[i];
        int is_space = blank & ((c == ' ') | (c - '\t' < 5));
        int is_sign = blank & ((c == '+') | (c == '-'));
        int is_zero = open & (c == '0');
        unsigned letter = (unsigned char)text[i + 1] | 32;
        unsigned next = (unsigned char)text[i + 1 + (i + 1 < length)];
        int is_figure = next - '0' < 10;
        found.zero |= is_zero;
        found.hexadecimal |= is_zero & (letter == 'x') & (is_figure | ((next | 32) - 'a' < 6));
        found.binary |= is_zero & (letter == 'b') & (next - '0' < 2);
        open &= is_space | is_sign;
        blank &= is_space;
    }
    return found;
}

/* Parses a number as sign and magnitude. Sets `*overflow` if the magnitude exceeds 64 bits. `*end` is the end of the
   number, the start of the text if there is none, and null if the base is invalid. C23 has numbers of base 2 with the prefix 0b.

   The digits are accumulated without branches that depend on the text: a path of symbolic execution is one length of the text, and the
   value is one term. */
static unsigned long long magnitude(const char *text, const char **end, int base, int has_binary, int *negative, int *overflow)
{
    size_t length = __cairn_string_length(text);
    *end = 0;
    *negative = 0;
    *overflow = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    *end = text;
    unsigned prefix = 0;
    if (base == 0 || base == 16 || (base == 2 && has_binary)) {
        struct prefix found = find_prefix(text, length);
        if (base != 2 && found.hexadecimal) {
            base = 16;
            prefix = 'x';
        } else if (base != 16 && has_binary && found.binary) {
            base = 2;
            prefix = 'b';
        } else if (base == 0) {
            base = found.zero ? 8 : 10;
        }
    }
    unsigned long long most = ~0ull / (unsigned)base, value = 0;
    unsigned last = ~0ull % (unsigned)base;
    int blank = 1, open = 1, minus = 0, over = 0;
    size_t stop = 0;
    for (size_t i = 0; i < length; i++) {
        /* A long text is not scanned to its end. */
        if (i > 40 && !open)
            break;
        unsigned c = (unsigned char)text[i];
        int is_space = blank & ((c == ' ') | (c - '\t' < 5));
        int is_sign = blank & ((c == '+') | (c == '-'));
        unsigned figure = c - '0', letter = (c | 32) - 'a';
        unsigned is_letter = -(unsigned)(figure >= 10);
        unsigned digit = (figure & ~is_letter) | ((letter + 10) & is_letter);
        int is_digit = open & ((figure < 10) | (letter < 26)) & (digit < (unsigned)base);
        int is_prefix = open & (prefix != 0) & ((c | 32) == prefix);
        prefix &= -(unsigned)!is_prefix;
        is_digit &= !is_prefix;
        unsigned long long mask = -(unsigned long long)is_digit;
        over |= is_digit & ((value > most) | ((value == most) & (digit > last)));
        value = (value & ~mask) | ((value * (unsigned)base + digit) & mask);
        stop = (stop & ~(size_t)mask) | ((i + 1) & (size_t)mask);
        minus |= blank & (c == '-');
        open &= is_digit | is_prefix | is_space | is_sign;
        blank &= is_space;
    }
    *negative = minus;
    *overflow = over;
    *end = text + stop;
    return value;
}

/* Returns the signed number between -highest-1 and highest, clamped with ERANGE. */
static long long signed_number(const char *text, char **end, int base, unsigned long long highest, int has_binary)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = magnitude(text, &stop, base, has_binary, &negative, &overflow);
    if (end && stop)
        *end = (char *)stop;
    unsigned long long limit = highest + negative;
    if (overflow | (value > limit)) {
        *__errno_location() = 34;
        value = limit;
    }
    return (value ^ -(unsigned long long)negative) + negative;
}

/* Returns the unsigned number up to highest, clamped with ERANGE. A minus sign negates modulo highest + 1. */
static unsigned long long unsigned_number(const char *text, char **end, int base, unsigned long long highest, int has_binary)
{
    const char *stop;
    int negative, overflow;
    unsigned long long value = magnitude(text, &stop, base, has_binary, &negative, &overflow);
    if (end && stop)
        *end = (char *)stop;
    if (overflow | (value > highest)) {
        *__errno_location() = 34;
        return highest;
    }
    return (value ^ -(unsigned long long)negative) + negative;
}

/* strtol: requires a terminated text in bounds, and `end` writable or null. */
long strtol(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ul >> 1, 0);
}

/* strtoll: like strtol. */
long long strtoll(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1, 0);
}

/* strtoul: like strtol. */
unsigned long strtoul(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ul, 0);
}

/* strtoull: like strtol. */
unsigned long long strtoull(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull, 0);
}

/* strtoimax: like strtol. */
long long strtoimax(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1, 0);
}

/* strtoumax: like strtol. */
unsigned long long strtoumax(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull, 0);
}

/* strtoq: like strtol. */
long long strtoq(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1, 0);
}

/* strtouq: like strtol. */
unsigned long long strtouq(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull, 0);
}

/* __strtol_internal: like strtol. */
long __strtol_internal(const char *text, char **end, int base, int group)
{
    return strtol(text, end, base);
}

/* __isoc23_strtol: like strtol, with binary numbers. */
long __isoc23_strtol(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ul >> 1, 1);
}

/* __isoc23_strtoll: like strtol, with binary numbers. */
long long __isoc23_strtoll(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1, 1);
}

/* __isoc23_strtoul: like strtol, with binary numbers. */
unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ul, 1);
}

/* __isoc23_strtoull: like strtol, with binary numbers. */
unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull, 1);
}

/* __isoc23_strtoimax: like strtol, with binary numbers. */
long long __isoc23_strtoimax(const char *text, char **end, int base)
{
    return signed_number(text, end, base, ~0ull >> 1, 1);
}

/* __isoc23_strtoumax: like strtol, with binary numbers. */
unsigned long long __isoc23_strtoumax(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, ~0ull, 1);
}

/* atoi: requires a terminated text in bounds. */
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
