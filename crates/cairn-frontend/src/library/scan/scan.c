/* scanf and related functions, on a stream or a string, in the "C" locale. */

typedef __typeof__(sizeof 0) size_t;

/* The names and types are private to the model, because a harness contains it next to the program. */
extern void *cairn_stdin __asm__("stdin");
int cairn_fgetc(void *stream) __asm__("fgetc");
int cairn_ungetc(int c, void *stream) __asm__("ungetc");
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long double strtold(const char *text, char **end);

typedef __typeof__(L'a') cairn_wide;

void __cairn_unsupported_this_conversion_of_scanf(void);
void __cairn_unsupported_a_number_of_scanf_without_digits(void);
void __cairn_unsupported_a_null_pointer_of_scanf(void);
void __cairn_unsupported_a_wide_character_outside_of_ascii(void);

/* The input: a stream, or the rest of a string. */
struct cairn_source {
    void *stream;
    const char *text;
    int count;
    int has_ended; /* nothing is read after the end or an error */
};

static int cairn_scan_next(struct cairn_source *from)
{
    int c;
    if (from->has_ended)
        return -1;
    if (from->stream) {
        c = cairn_fgetc(from->stream);
        from->has_ended = c < 0;
    } else {
        c = *(const unsigned char *)from->text;
        if (!c)
            return -1;
        from->text++;
    }
    if (c >= 0)
        from->count++;
    return c;
}

static void cairn_scan_back(struct cairn_source *from, int c)
{
    if (c < 0)
        return;
    from->count--;
    if (from->stream)
        cairn_ungetc(c, from->stream);
    else
        from->text--;
}

static int cairn_scan_is_space(int c)
{
    return (c == ' ') | ((unsigned)c - '\t' < 5);
}

static int cairn_scan_is_digit(int c, int base)
{
    unsigned figure = c - '0', letter = (c | 32) - 'a';
    return ((figure < 10) & (figure < (unsigned)base)) | ((base == 16) & (letter < 6));
}

static int cairn_scan_same_letter(int c, char lower)
{
    return (c == lower) | (c == lower - 'a' + 'A');
}

/* Returns whether the text comes from outside of the program, so that a number in it is any number. */
static int cairn_scan_is_any_text(struct cairn_source *from);
static int cairn_scan_next_after_any_blanks(struct cairn_source *from);
static int cairn_scan_takes_any_number(struct cairn_source *from, int base, int width);
static unsigned long long cairn_scan_any_integer(void);
static float cairn_scan_any_single(void);
static double cairn_scan_any_double(void);
static long double cairn_scan_any_extended(void);

/* Returns the first byte that is no white space, or -1. */
static int cairn_scan_next_after_blanks(struct cairn_source *from)
{
    int c;
    do
        c = cairn_scan_next(from);
    while (cairn_scan_is_space(c));
    return c;
}

/* Skips white space; returns the next byte without consuming it, or -1. */
static int cairn_scan_skip_blanks(struct cairn_source *from)
{
    int c = cairn_scan_is_any_text(from) ? cairn_scan_next_after_any_blanks(from) : cairn_scan_next_after_blanks(from);
    cairn_scan_back(from, c);
    return c;
}

/* The bytes of one number. Longer numbers are cut. */
struct cairn_word {
    char text[400];
    int length;
    int width;
};

/* Appends the byte to the word if it is wanted and fits; pushes it back otherwise. */
static int cairn_scan_take(struct cairn_source *from, struct cairn_word *word, int wanted, int c)
{
    if (!wanted || word->length == word->width) {
        cairn_scan_back(from, c);
        return 0;
    }
    word->text[word->length++] = c;
    return 1;
}

static int cairn_scan_peek(struct cairn_source *from)
{
    int c = cairn_scan_next(from);
    cairn_scan_back(from, c);
    return c;
}

/* Appends the next byte to the word if it is one of two. */
static int cairn_scan_take_either(struct cairn_source *from, struct cairn_word *word, char a, char b)
{
    if (word->length == word->width)
        return 0;
    int c = cairn_scan_next(from);
    return cairn_scan_take(from, word, c == a || c == b, c);
}

static int cairn_scan_take_digits(struct cairn_source *from, struct cairn_word *word, int base)
{
    int n = 0;
    while (word->length < word->width) {
        int c = cairn_scan_next(from);
        if (!cairn_scan_take(from, word, cairn_scan_is_digit(c, base), c))
            break;
        n++;
    }
    return n;
}

/* Reads an integer like strtol; returns its base, or 0 if there is no integer. */
static int cairn_scan_take_integer(struct cairn_source *from, struct cairn_word *word, int base)
{
    int digits = 0;
    cairn_scan_take_either(from, word, '+', '-');
    if (base == 0 || base == 16) {
        if (cairn_scan_take_either(from, word, '0', '0')) {
            digits = 1;
            if (cairn_scan_take_either(from, word, 'x', 'X')) {
                digits = 0;
                base = 16;
            } else if (base == 0) {
                base = 8;
            }
        } else if (base == 0) {
            base = 10;
        }
    }
    int more = cairn_scan_take_digits(from, word, base);
    /* C has no number here, glibc the number 0. */
    if (!digits && !more && word->length > 1)
        __cairn_unsupported_a_number_of_scanf_without_digits();
    word->text[word->length] = 0;
    return digits + more ? base : 0;
}

static int cairn_scan_take_letters(struct cairn_source *from, struct cairn_word *word, const char *letters)
{
    for (; *letters; letters++)
        if (!cairn_scan_take_either(from, word, *letters, *letters - 'a' + 'A'))
            return 0;
    return 1;
}

/* Reads a floating number like strtod. */
static int cairn_scan_take_float(struct cairn_source *from, struct cairn_word *word)
{
    int base = 10;
    int digits = 0;
    cairn_scan_take_either(from, word, '+', '-');
    int first = cairn_scan_peek(from);
    if (cairn_scan_same_letter(first, 'n')) {
        int whole = cairn_scan_take_letters(from, word, "nan");
        word->text[word->length] = 0;
        return whole;
    }
    if (cairn_scan_same_letter(first, 'i')) {
        int whole = cairn_scan_take_letters(from, word, "inf");
        if (whole && cairn_scan_same_letter(cairn_scan_peek(from), 'i') && word->length < word->width)
            whole = cairn_scan_take_letters(from, word, "inity");
        word->text[word->length] = 0;
        return whole;
    }
    if (cairn_scan_take_either(from, word, '0', '0')) {
        digits = 1;
        if (cairn_scan_take_either(from, word, 'x', 'X')) {
            base = 16;
            digits = 0;
        }
    }
    digits += cairn_scan_take_digits(from, word, base);
    if (cairn_scan_take_either(from, word, '.', '.'))
        digits += cairn_scan_take_digits(from, word, base);
    if (!digits && base == 16)
        __cairn_unsupported_a_number_of_scanf_without_digits();
    if (digits && cairn_scan_take_either(from, word, base == 16 ? 'p' : 'e', base == 16 ? 'P' : 'E')) {
        cairn_scan_take_either(from, word, '+', '-');
        if (!cairn_scan_take_digits(from, word, 10))
            __cairn_unsupported_a_number_of_scanf_without_digits();
    }
    word->text[word->length] = 0;
    return digits;
}

/* The length modifiers. */
enum cairn_length { cairn_plain, cairn_hh, cairn_h, cairn_l, cairn_ll, cairn_big };

/* Converts a decimal number in a string. Its end is the start of the string if there is none. */
static unsigned long long cairn_scan_decimal(const char *text, const char **end, int is_unsigned, enum cairn_length length)
{
    int is_long = length == cairn_ll || length == cairn_big;
    if (is_unsigned)
        return is_long ? strtoull(text, (char **)end, 10) : strtoul(text, (char **)end, 10);
    return is_long ? strtoll(text, (char **)end, 10) : strtol(text, (char **)end, 10);
}

static void cairn_scan_store_integer(void *to, enum cairn_length length, unsigned long long value)
{
    switch (length) {
    case cairn_hh: *(char *)to = value; break;
    case cairn_h: *(short *)to = value; break;
    case cairn_l: *(long *)to = value; break;
    case cairn_ll:
    case cairn_big: *(long long *)to = value; break;
    case cairn_plain: *(int *)to = value; break;
    }
}

/* Stores a character of a string; returns the location of the next one. */
static char *cairn_scan_store_character(char *to, enum cairn_length length, int c)
{
    if (length != cairn_l) {
        *to = c;
        return to + 1;
    }
    if (c > 127)
        __cairn_unsupported_a_wide_character_outside_of_ascii();
    *(cairn_wide *)to = c;
    return to + sizeof(cairn_wide);
}

/* Parses `[…]` after its opening bracket into a table of wanted bytes; returns the position after it. */
static const char *cairn_scan_read_set(const char *format, unsigned char *wanted)
{
    int negated = *format == '^';
    if (negated)
        format++;
    for (int i = 0; i < 256; i++)
        wanted[i] = negated;
    for (int first = 1; *format && (first || *format != ']'); first = 0, format++) {
        int low = *(const unsigned char *)format;
        int high = low;
        if (format[1] == '-' && format[2] && format[2] != ']') {
            high = *(const unsigned char *)(format + 2);
            format += 2;
        }
        /* In glibc, a range that ends before it begins stands for its three characters. */
        if (low > high)
            __cairn_unsupported_this_conversion_of_scanf();
        for (int c = low; c <= high; c++)
            wanted[c] = !negated;
    }
    return *format ? format + 1 : format;
}

static int cairn_scan(struct cairn_source *from, const char *format, __builtin_va_list list)
{
    int converted = 0;
    unsigned char wanted[256];
    struct cairn_word word;
    for (; *format; ) {
        if (cairn_scan_is_space(*(const unsigned char *)format)) {
            cairn_scan_skip_blanks(from);
            format++;
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                cairn_scan_skip_blanks(from);
                format++;
            }
            int c = cairn_scan_next(from);
            if (c != *(const unsigned char *)format) {
                cairn_scan_back(from, c);
                return c < 0 && !converted ? -1 : converted;
            }
            format++;
            continue;
        }
        format++;
        int stored = 1;
        if (*format == '*') {
            stored = 0;
            format++;
        }
        int width = 0;
        while (cairn_scan_is_digit(*format, 10)) {
            if (width < 100000000)
                width = width * 10 + (*format - '0');
            format++;
        }
        enum cairn_length length = cairn_plain;
        switch (*format) {
        case 'h':
            format++;
            length = cairn_h;
            if (*format == 'h') {
                format++;
                length = cairn_hh;
            }
            break;
        case 'l':
            format++;
            length = cairn_l;
            if (*format == 'l') {
                format++;
                length = cairn_ll;
            }
            break;
        case 'q':
        case 'L':
            format++;
            length = cairn_big;
            break;
        case 'j':
            format++;
            length = cairn_ll;
            break;
        case 'z':
        case 't':
            format++;
            length = sizeof(size_t) == sizeof(long) ? cairn_l : cairn_plain;
            break;
        }
        char conversion = *format++;
        if (conversion == 'n') {
            if (stored)
                cairn_scan_store_integer(__builtin_va_arg(list, void *), length, from->count);
            continue;
        }
        if (conversion != 'c' && conversion != '[')
            cairn_scan_skip_blanks(from);
        if (cairn_scan_peek(from) < 0)
            return converted ? converted : -1;
        int base = 10;
        switch (conversion) {
        case 'i':
            base = 0;
            goto integer;
        case 'o':
            base = 8;
            goto integer;
        case 'x':
        case 'X':
        case 'p':
            base = 16;
            goto integer;
        case 'd':
        case 'u':
        integer:
            if (cairn_scan_is_any_text(from)) {
                if (!cairn_scan_takes_any_number(from, base, width))
                    return converted;
                if (stored) {
                    if (conversion == 'p')
                        *__builtin_va_arg(list, void **) = (void *)(size_t)cairn_scan_any_integer();
                    else
                        cairn_scan_store_integer(__builtin_va_arg(list, void *), length, cairn_scan_any_integer());
                    converted++;
                }
                break;
            }
            if (base == 10 && !from->stream && !width) {
                const char *end;
                unsigned long long value = cairn_scan_decimal(from->text, &end, conversion == 'u', length);
                if (end == from->text)
                    return converted;
                from->count += end - from->text;
                from->text = end;
                if (stored) {
                    cairn_scan_store_integer(__builtin_va_arg(list, void *), length, value);
                    converted++;
                }
                break;
            }
            word.length = 0;
            word.width = width && width < 399 ? width : 399;
            if (conversion == 'p' && cairn_scan_peek(from) == '(')
                __cairn_unsupported_a_null_pointer_of_scanf();
            base = cairn_scan_take_integer(from, &word, base);
            if (!base)
                return converted;
            if (stored) {
                if (conversion == 'p')
                    *__builtin_va_arg(list, void **) = (void *)(size_t)strtoull(word.text, 0, 16);
                else if (conversion == 'd' || conversion == 'i')
                    cairn_scan_store_integer(__builtin_va_arg(list, void *), length,
                                  length == cairn_ll || length == cairn_big ? strtoll(word.text, 0, base)
                                                                : strtol(word.text, 0, base));
                else
                    cairn_scan_store_integer(__builtin_va_arg(list, void *), length,
                                  length == cairn_ll || length == cairn_big ? strtoull(word.text, 0, base)
                                                                : strtoul(word.text, 0, base));
                converted++;
            }
            break;
        case 'a':
        case 'A':
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            if (cairn_scan_is_any_text(from)) {
                if (!cairn_scan_takes_any_number(from, 0, width))
                    return converted;
                if (stored) {
                    if (length == cairn_l)
                        *__builtin_va_arg(list, double *) = cairn_scan_any_double();
                    else if (length == cairn_big || length == cairn_ll)
                        *__builtin_va_arg(list, long double *) = cairn_scan_any_extended();
                    else
                        *__builtin_va_arg(list, float *) = cairn_scan_any_single();
                    converted++;
                }
                break;
            }
            word.length = 0;
            word.width = width && width < 399 ? width : 399;
            if (!cairn_scan_take_float(from, &word))
                return converted;
            if (stored) {
                if (length == cairn_l)
                    *__builtin_va_arg(list, double *) = strtod(word.text, 0);
                else if (length == cairn_big || length == cairn_ll)
                    *__builtin_va_arg(list, long double *) = strtold(word.text, 0);
                else
                    *__builtin_va_arg(list, float *) = strtof(word.text, 0);
                converted++;
            }
            break;
        case 'c':
        case 's':
        case '[': {
            int limited = width || conversion == 'c';
            if (conversion == 'c' && !width)
                width = 1;
            for (int i = 0; i < 256; i++)
                wanted[i] = conversion == 'c' || !cairn_scan_is_space(i);
            if (conversion == '[')
                format = cairn_scan_read_set(format, wanted);
            char *to = stored ? __builtin_va_arg(list, char *) : 0;
            int n = 0;
            while (!limited || n < width) {
                int c = cairn_scan_next(from);
                if (c < 0 || !wanted[c]) {
                    cairn_scan_back(from, c);
                    break;
                }
                if (stored)
                    to = cairn_scan_store_character(to, length, c);
                n++;
            }
            if (!n)
                return converted;
            if (stored) {
                if (conversion != 'c')
                    cairn_scan_store_character(to, length, 0);
                converted++;
            }
            break;
        }
        default:
            __cairn_unsupported_this_conversion_of_scanf();
            return converted;
        }
    }
    return converted;
}

/* vfscanf: requires a valid stream, a terminated format in bounds, all arguments, and writable targets. */
int vfscanf(void *stream, const char *format, __builtin_va_list list)
{
    struct cairn_source from = { stream, 0, 0 };
    /* Report a null stream, which would otherwise be taken for a string source. */
    if (!stream)
        cairn_fgetc(stream);
    return cairn_scan(&from, format, list);
}

/* vsscanf: like vfscanf. Requires the read text in bounds. */
int vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    struct cairn_source from = { 0, text, 0 };
    return cairn_scan(&from, format, list);
}

/* vscanf: like vfscanf. */
int vscanf(const char *format, __builtin_va_list list)
{
    return vfscanf(cairn_stdin, format, list);
}

/* scanf: like vfscanf. */
int scanf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(cairn_stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/* fscanf: like vfscanf. */
int fscanf(void *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* sscanf: like vsscanf. */
int sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsscanf(text, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc99_vfscanf: like vfscanf. */
int __isoc99_vfscanf(void *stream, const char *format, __builtin_va_list list)
{
    return vfscanf(stream, format, list);
}

/* __isoc99_vsscanf: like vsscanf. */
int __isoc99_vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    return vsscanf(text, format, list);
}

/* __isoc99_vscanf: like vscanf. */
int __isoc99_vscanf(const char *format, __builtin_va_list list)
{
    return vscanf(format, list);
}

/* __isoc99_scanf: like vfscanf. */
int __isoc99_scanf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(cairn_stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc99_fscanf: like vfscanf. */
int __isoc99_fscanf(void *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc99_sscanf: like vsscanf. */
int __isoc99_sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsscanf(text, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc23_vfscanf: like vfscanf. */
int __isoc23_vfscanf(void *stream, const char *format, __builtin_va_list list)
{
    return vfscanf(stream, format, list);
}

/* __isoc23_vsscanf: like vsscanf. */
int __isoc23_vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    return vsscanf(text, format, list);
}

/* __isoc23_vscanf: like vscanf. */
int __isoc23_vscanf(const char *format, __builtin_va_list list)
{
    return vscanf(format, list);
}

/* __isoc23_scanf: like vfscanf. */
int __isoc23_scanf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(cairn_stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc23_fscanf: like vfscanf. */
int __isoc23_fscanf(void *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc23_sscanf: like vsscanf. */
int __isoc23_sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsscanf(text, format, list);
    __builtin_va_end(list);
    return n;
}
