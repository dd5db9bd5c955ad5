/* wchar.h: wide text on streams, in the C locale: every character is one byte, and characters outside of ASCII are
   errors. */

typedef __typeof__(L'a') wchar_t;

void *__cairn_stack_alloc(size_t size);
void __cairn_unsupported_a_wide_format_outside_of_ascii(void);

/* Returns the number of characters of a wide string. */
static size_t wide_length(const wchar_t *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

/* Copies a format to a narrow string. The conversions of both kinds of formats have the same meaning. */
static void narrow(char *to, const wchar_t *format, size_t length)
{
    for (size_t i = 0; i <= length; i++) {
        if (format[i] < 0 || format[i] > 127)
            __cairn_unsupported_a_wide_format_outside_of_ascii();
        to[i] = format[i];
    }
}

/* vfwprintf: like vfprintf, for a wide format. */
int vfwprintf(FILE *stream, const wchar_t *format, __builtin_va_list list)
{
    size_t length = wide_length(format);
    char *text = __cairn_stack_alloc(length + 1);
    narrow(text, format, length);
    return vfprintf(stream, text, list);
}

/* vwprintf: like vfwprintf. */
int vwprintf(const wchar_t *format, __builtin_va_list list)
{
    return vfwprintf(stdout, format, list);
}

/* wprintf: like vfwprintf. */
int wprintf(const wchar_t *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfwprintf(stdout, format, list);
    __builtin_va_end(list);
    return n;
}

/* fwprintf: like vfwprintf. */
int fwprintf(FILE *stream, const wchar_t *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfwprintf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* vswprintf: like vfwprintf. Requires the written characters, at most `size`, in bounds. Fails if the text does not
   fit. */
int vswprintf(wchar_t *to, size_t size, const wchar_t *format, __builtin_va_list list)
{
    size_t length = wide_length(format);
    char *text = __cairn_stack_alloc(length + 1);
    narrow(text, format, length);
    int n = __cairn_format_buffer(0, 0, text, arguments(list));
    if (n < 0)
        return -1;
    char *printed = __cairn_stack_alloc((size_t)n + 1);
    __cairn_format_buffer(printed, (size_t)n + 1, text, arguments(list));
    for (size_t i = 0; i < size && i <= n; i++)
        to[i] = (unsigned char)printed[i];
    if (n < size)
        return n;
    if (size)
        to[size - 1] = 0;
    return -1;
}

/* swprintf: like vswprintf. */
int swprintf(wchar_t *to, size_t size, const wchar_t *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vswprintf(to, size, format, list);
    __builtin_va_end(list);
    return n;
}

/* fputwc: requires a valid stream. */
unsigned int fputwc(wchar_t c, FILE *stream)
{
    if (c < 0 || c > 127) {
        stream->failed = 1;
        *__errno_location() = 84;
        return -1;
    }
    return fputc(c, stream);
}

/* putwc: like fputwc. */
unsigned int putwc(wchar_t c, FILE *stream)
{
    return fputwc(c, stream);
}

/* putwchar: like fputwc. */
unsigned int putwchar(wchar_t c)
{
    return fputwc(c, stdout);
}

/* fputws: requires a valid stream and a terminated text in bounds. */
int fputws(const wchar_t *text, FILE *stream)
{
    for (; *text; text++)
        if (fputwc(*text, stream) == -1u)
            return -1;
    return 1;
}

/* fgetwc: requires a valid stream. */
unsigned int fgetwc(FILE *stream)
{
    int c = fgetc(stream);
    if (c > 127) {
        stream->failed = 1;
        *__errno_location() = 84;
        return -1;
    }
    return c;
}

/* getwc: like fgetwc. */
unsigned int getwc(FILE *stream)
{
    return fgetwc(stream);
}

/* getwchar: like fgetwc. */
unsigned int getwchar(void)
{
    return fgetwc(stdin);
}

/* fgetws: requires a valid stream and all written characters in bounds. */
wchar_t *fgetws(wchar_t *to, int size, FILE *stream)
{
    int n = 0;
    if (size <= 0)
        return 0;
    while (n < size - 1) {
        unsigned int c = fgetwc(stream);
        if (c == -1u) {
            if (!n || stream->failed)
                return 0;
            break;
        }
        to[n++] = c;
        if (c == '\n')
            break;
    }
    to[n] = 0;
    return to;
}
