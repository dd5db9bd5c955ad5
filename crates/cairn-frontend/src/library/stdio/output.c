/* stdio.h: output of bytes and strings. */

/* fputc: requires a valid stream and an initialised byte. */
int fputc(int c, FILE *stream)
{
    unsigned char byte = c;
    if (!writable(stream))
        return -1;
    return byte | -!emit(stream, &byte, 1);
}

/* putc: like fputc. */
int putc(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* putchar: like fputc. */
int putchar(int c)
{
    return fputc(c, stdout);
}

/* putc_unlocked: like fputc. */
int putc_unlocked(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* fputc_unlocked: like fputc. */
int fputc_unlocked(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* putchar_unlocked: like fputc. */
int putchar_unlocked(int c)
{
    return fputc(c, stdout);
}

/* _IO_putc: like fputc. */
int _IO_putc(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* fputs: requires a valid stream and a terminated, initialised string in bounds. */
int fputs(const char *text, FILE *stream)
{
    size_t n = __cairn_string_length(text);
    if (!writable(stream))
        return -1;
    return 1 | -!emit(stream, text, n);
}

/* fputs_unlocked: like fputs. */
int fputs_unlocked(const char *text, FILE *stream)
{
    return fputs(text, stream);
}

/* puts: like fputs. */
int puts(const char *text)
{
    size_t n = __cairn_string_length(text);
    if (!writable(stdout))
        return -1;
    int fails = !emit(stdout, text, n);
    fails |= !emit(stdout, "\n", 1);
    return (n + 1 > 0x7fffffff ? 0x7fffffff : (int)n + 1) | -fails;
}

/* fwrite: requires a valid stream and all elements in bounds and initialised. */
size_t fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
    size_t bytes;
    if (!size || !count || !writable(stream))
        return 0;
    /* No object is as large as a product that overflows. */
    if (__builtin_mul_overflow(size, count, &bytes))
        bytes = ~(size_t)0 >> 1;
    size_t done = -(size_t)emit(stream, data, bytes);
    /* After an error, some of the elements are written. */
    size_t part = (unsigned int)__cairn_vary(0) % count;
    return (count & done) | (part & ~done);
}

/* fwrite_unlocked: like fwrite. */
size_t fwrite_unlocked(const void *data, size_t size, size_t count, FILE *stream)
{
    return fwrite(data, size, count, stream);
}
