/* stdio.h: printf and related functions. */

/* vfprintf: requires a valid stream, a terminated format in bounds, all arguments with their types, terminated strings,
   and initialised values. */
int vfprintf(FILE *stream, const char *format, __builtin_va_list list)
{
    if (!writable(stream))
        return -1;
    if (stream->memory)
        return print(stream->memory, format, arguments(list));
    int n = __cairn_format_file(stream->fd, format, arguments(list));
    note_output(stream);
    return n;
}

/* vprintf: like vfprintf. */
int vprintf(const char *format, __builtin_va_list list)
{
    return vfprintf(stdout, format, list);
}

/* vdprintf: like vfprintf. */
int vdprintf(int fd, const char *format, __builtin_va_list list)
{
    if (fd == 0 || !__cairn_is_open(fd)) {
        /* The text is made before the descriptor is used. */
        int n = __cairn_format_buffer(0, 0, format, arguments(list));
        *__errno_location() = __cairn_vary(9);
        return n | -(__cairn_vary(1) != 0);
    }
    return __cairn_format_file(fd, format, arguments(list));
}

/* vsnprintf: like vfprintf. Requires the written bytes, at most `size`, in bounds and disjoint from the arguments. */
int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list list)
{
    return __cairn_format_buffer(to, size, format, arguments(list));
}

/* vsprintf: like vfprintf. Requires all written bytes in bounds and disjoint from the arguments. */
int vsprintf(char *to, const char *format, __builtin_va_list list)
{
    return __cairn_format_buffer(to, ~(size_t)0 >> 1, format, arguments(list));
}

/* vasprintf: like vfprintf. The text is a heap object. */
int vasprintf(char **to, const char *format, __builtin_va_list list)
{
    int n = __cairn_format_buffer(0, 0, format, arguments(list));
    if (n < 0)
        return n;
    char *text = __cairn_heap_alloc((size_t)n + 1);
    if (!text)
        return -1;
    *to = text;
    return __cairn_format_buffer(text, (size_t)n + 1, format, arguments(list));
}

/* printf: like vfprintf. */
int printf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfprintf(stdout, format, list);
    __builtin_va_end(list);
    return n;
}

/* fprintf: like vfprintf. */
int fprintf(FILE *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfprintf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* dprintf: like vfprintf. */
int dprintf(int fd, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vdprintf(fd, format, list);
    __builtin_va_end(list);
    return n;
}

/* sprintf: like vsprintf. */
int sprintf(char *to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}

/* snprintf: like vsnprintf. */
int snprintf(char *to, size_t size, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    __builtin_va_end(list);
    return n;
}

/* asprintf: like vasprintf. */
int asprintf(char **to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vasprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}
