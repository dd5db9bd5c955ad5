/* scanf and related functions, on a stream or a string, in the "C" locale. */

typedef __typeof__(sizeof 0) size_t;
typedef struct stream FILE;

extern FILE *stdin;
int fgetc(FILE *stream);
int ungetc(int c, FILE *stream);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long double strtold(const char *text, char **end);

/* The input: a stream, or the rest of a string. */
struct source {
    FILE *stream;
    const char *text;
    int count;
};

static int next(struct source *from)
{
    int c;
    if (from->stream) {
        c = fgetc(from->stream);
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

static void back(struct source *from, int c)
{
    if (c < 0)
        return;
    from->count--;
    if (from->stream)
        ungetc(c, from->stream);
    else
        from->text--;
}

static int is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(int c, int base)
{
    if (c >= '0' && c <= '9')
        return c - '0' < base;
    return base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
}

static int same_letter(int c, char lower)
{
    return c == lower || c == lower - 'a' + 'A';
}

/* Skips white space; returns the next byte without consuming it, or -1. */
static int skip_blanks(struct source *from)
{
    int c;
    do
        c = next(from);
    while (is_space(c));
    back(from, c);
    return c;
}

/* The bytes of one number. Longer numbers are cut. */
struct word {
    char text[400];
    int length;
    int width;
};

/* Appends the byte to the word if it is wanted and fits; pushes it back otherwise. */
static int take(struct source *from, struct word *word, int wanted, int c)
{
    if (!wanted || word->length == word->width) {
        back(from, c);
        return 0;
    }
    word->text[word->length++] = c;
    return 1;
}

static int peek(struct source *from)
{
    int c = next(from);
    back(from, c);
    return c;
}

/* Appends the next byte to the word if it is one of two. */
static int take_either(struct source *from, struct word *word, char a, char b)
{
    if (word->length == word->width)
        return 0;
    int c = next(from);
    return take(from, word, c == a || c == b, c);
}

static int take_digits(struct source *from, struct word *word, int base)
{
    int n = 0;
    while (word->length < word->width) {
        int c = next(from);
        if (!take(from, word, is_digit(c, base), c))
            break;
        n++;
    }
    return n;
}

/* Reads an integer like strtol; returns its base, or 0 if there is no integer. */
static int take_integer(struct source *from, struct word *word, int base)
{
    int digits = 0;
    take_either(from, word, '+', '-');
    if (base == 0 || base == 16) {
        if (take_either(from, word, '0', '0')) {
            digits = 1;
            if (take_either(from, word, 'x', 'X')) {
                digits = 0;
                base = 16;
            } else if (base == 0) {
                base = 8;
            }
        } else if (base == 0) {
            base = 10;
        }
    }
    digits += take_digits(from, word, base);
    word->text[word->length] = 0;
    return digits ? base : 0;
}

static int take_letters(struct source *from, struct word *word, const char *letters)
{
    for (; *letters; letters++)
        if (!take_either(from, word, *letters, *letters - 'a' + 'A'))
            return 0;
    return 1;
}

/* Reads a floating number like strtod. */
static int take_float(struct source *from, struct word *word)
{
    int base = 10;
    int digits = 0;
    take_either(from, word, '+', '-');
    int first = peek(from);
    if (same_letter(first, 'n')) {
        int whole = take_letters(from, word, "nan");
        word->text[word->length] = 0;
        return whole;
    }
    if (same_letter(first, 'i')) {
        int whole = take_letters(from, word, "inf");
        if (whole && same_letter(peek(from), 'i') && word->length < word->width)
            whole = take_letters(from, word, "inity");
        word->text[word->length] = 0;
        return whole;
    }
    if (take_either(from, word, '0', '0')) {
        digits = 1;
        if (take_either(from, word, 'x', 'X')) {
            base = 16;
            digits = 0;
        }
    }
    digits += take_digits(from, word, base);
    if (take_either(from, word, '.', '.'))
        digits += take_digits(from, word, base);
    if (digits && take_either(from, word, base == 16 ? 'p' : 'e', base == 16 ? 'P' : 'E')) {
        take_either(from, word, '+', '-');
        if (!take_digits(from, word, 10))
            digits = 0;
    }
    word->text[word->length] = 0;
    return digits;
}

/* The length modifiers. */
enum length { plain, hh, h, l, ll, big };

static void store_integer(void *to, enum length length, unsigned long long value)
{
    switch (length) {
    case hh: *(char *)to = value; break;
    case h: *(short *)to = value; break;
    case l: *(long *)to = value; break;
    case ll:
    case big: *(long long *)to = value; break;
    case plain: *(int *)to = value; break;
    }
}

/* Parses `[…]` after its opening bracket into a table of wanted bytes; returns the position after it. */
static const char *read_set(const char *format, unsigned char *wanted)
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
        for (int c = low; c <= high; c++)
            wanted[c] = !negated;
    }
    return *format ? format + 1 : format;
}

static int scan(struct source *from, const char *format, __builtin_va_list list)
{
    int converted = 0;
    unsigned char wanted[256];
    struct word word;
    for (; *format; ) {
        if (is_space(*(const unsigned char *)format)) {
            skip_blanks(from);
            format++;
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                skip_blanks(from);
                format++;
            }
            int c = next(from);
            if (c != *(const unsigned char *)format) {
                back(from, c);
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
        while (is_digit(*format, 10)) {
            if (width < 100000000)
                width = width * 10 + (*format - '0');
            format++;
        }
        enum length length = plain;
        switch (*format) {
        case 'h':
            format++;
            length = h;
            if (*format == 'h') {
                format++;
                length = hh;
            }
            break;
        case 'l':
            format++;
            length = l;
            if (*format == 'l') {
                format++;
                length = ll;
            }
            break;
        case 'q':
        case 'L':
            format++;
            length = big;
            break;
        case 'j':
            format++;
            length = ll;
            break;
        case 'z':
        case 't':
            format++;
            length = sizeof(size_t) == sizeof(long) ? l : plain;
            break;
        }
        char conversion = *format++;
        if (conversion == 'n') {
            if (stored)
                store_integer(__builtin_va_arg(list, void *), length, from->count);
            continue;
        }
        if (conversion != 'c' && conversion != '[')
            skip_blanks(from);
        if (peek(from) < 0)
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
            word.length = 0;
            word.width = width && width < 399 ? width : 399;
            base = take_integer(from, &word, base);
            if (!base)
                return converted;
            if (stored) {
                if (conversion == 'p')
                    *__builtin_va_arg(list, void **) = (void *)(size_t)strtoull(word.text, 0, 16);
                else if (conversion == 'd' || conversion == 'i')
                    store_integer(__builtin_va_arg(list, void *), length,
                                  length == ll || length == big ? strtoll(word.text, 0, base)
                                                                : strtol(word.text, 0, base));
                else
                    store_integer(__builtin_va_arg(list, void *), length,
                                  length == ll || length == big ? strtoull(word.text, 0, base)
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
            word.length = 0;
            word.width = width && width < 399 ? width : 399;
            if (!take_float(from, &word))
                return converted;
            if (stored) {
                if (length == l)
                    *__builtin_va_arg(list, double *) = strtod(word.text, 0);
                else if (length == big || length == ll)
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
                wanted[i] = conversion == 'c' || !is_space(i);
            if (conversion == '[')
                format = read_set(format, wanted);
            char *to = stored ? __builtin_va_arg(list, char *) : 0;
            int n = 0;
            while (!limited || n < width) {
                int c = next(from);
                if (c < 0 || !wanted[c]) {
                    back(from, c);
                    break;
                }
                if (stored)
                    *to++ = c;
                n++;
            }
            if (!n)
                return converted;
            if (stored) {
                if (conversion != 'c')
                    *to = 0;
                converted++;
            }
            break;
        }
        default:
            return converted;
        }
    }
    return converted;
}

/* vfscanf: requires a valid stream, a terminated format in bounds, all arguments, and writable targets. */
int vfscanf(FILE *stream, const char *format, __builtin_va_list list)
{
    struct source from = { stream, 0, 0 };
    /* Report a null stream, which would otherwise be taken for a string source. */
    if (!stream)
        fgetc(stream);
    return scan(&from, format, list);
}

/* vsscanf: like vfscanf. Requires the read text in bounds. */
int vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    struct source from = { 0, text, 0 };
    return scan(&from, format, list);
}

/* vscanf: like vfscanf. */
int vscanf(const char *format, __builtin_va_list list)
{
    return vfscanf(stdin, format, list);
}

/* scanf: like vfscanf. */
int scanf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfscanf(stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/* fscanf: like vfscanf. */
int fscanf(FILE *stream, const char *format, ...)
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
int __isoc99_vfscanf(FILE *stream, const char *format, __builtin_va_list list)
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
    int n = vfscanf(stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc99_fscanf: like vfscanf. */
int __isoc99_fscanf(FILE *stream, const char *format, ...)
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
int __isoc23_vfscanf(FILE *stream, const char *format, __builtin_va_list list)
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
    int n = vfscanf(stdin, format, list);
    __builtin_va_end(list);
    return n;
}

/* __isoc23_fscanf: like vfscanf. */
int __isoc23_fscanf(FILE *stream, const char *format, ...)
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
