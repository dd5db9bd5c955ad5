/* stdio.h: the three standard streams. Files are refused (fopen fails with ENOENT), as in an empty directory that can't be
   written to. Nothing is buffered, so that output stays in order. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
void *__cairn_heap_alloc(size_t size);
void *__cairn_heap_realloc(void *old, size_t size);
size_t __cairn_string_length(const char *text);
int __cairn_write(int fd, const void *data, size_t size);
int __cairn_read_char(int fd);
int __cairn_format_file(int fd, const char *format, void *arguments);
int __cairn_format_buffer(char *to, size_t size, const char *format, void *arguments);
void __cairn_one_answer(void);
void __cairn_unsupported_a_buffer_given_to_a_stream(void);
void __cairn_unsupported_closing_a_stream_twice(void);

typedef struct stream {
    int fd;
    int at_end;
    int failed;
    int pushed_count;
    unsigned char pushed[8];
} FILE;

static FILE standard[3] = { { 0 }, { 1 }, { 2 } };
FILE *stdin = &standard[0];
FILE *stdout = &standard[1];
FILE *stderr = &standard[2];

/* The next argument of a list: both ABIs keep its address in the first word of the list, which LP64 passes by its address and
   ILP32 by value. */
static void *arguments(__builtin_va_list list)
{
    return __builtin_choose_expr(sizeof(void *) == 8, *(void **)list, (void *)list);
}

/* Whether the stream takes output; sets its error mark otherwise. */
static int writable(FILE *stream)
{
    if (stream->fd == 1 || stream->fd == 2)
        return 1;
    stream->failed = 1;
    *__errno_location() = 9;
    return 0;
}

/* vfprintf: the stream is one; format terminated in bounds; each argument present and of its type; strings terminated; nothing
   uninitialised is printed. */
int vfprintf(FILE *stream, const char *format, __builtin_va_list list)
{
    return writable(stream) ? __cairn_format_file(stream->fd, format, arguments(list)) : -1;
}

/* vprintf: as vfprintf. */
int vprintf(const char *format, __builtin_va_list list)
{
    return vfprintf(stdout, format, list);
}

/* vdprintf: as vfprintf. */
int vdprintf(int fd, const char *format, __builtin_va_list list)
{
    if (fd != 1 && fd != 2) {
        *__errno_location() = 9;
        return -1;
    }
    return __cairn_format_file(fd, format, arguments(list));
}

/* vsnprintf: as vfprintf; writes at most `size` bytes in bounds, and not over what is printed. */
int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list list)
{
    return __cairn_format_buffer(to, size, format, arguments(list));
}

/* vsprintf: as vfprintf; everything written in bounds, and not over what is printed. */
int vsprintf(char *to, const char *format, __builtin_va_list list)
{
    return __cairn_format_buffer(to, ~(size_t)0 >> 1, format, arguments(list));
}

/* vasprintf: as vfprintf; the text is a heap object. */
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

/* printf: as vfprintf. */
int printf(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfprintf(stdout, format, list);
    __builtin_va_end(list);
    return n;
}

/* fprintf: as vfprintf. */
int fprintf(FILE *stream, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vfprintf(stream, format, list);
    __builtin_va_end(list);
    return n;
}

/* dprintf: as vfprintf. */
int dprintf(int fd, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vdprintf(fd, format, list);
    __builtin_va_end(list);
    return n;
}

/* sprintf: as vsprintf. */
int sprintf(char *to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}

/* snprintf: as vsnprintf. */
int snprintf(char *to, size_t size, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    __builtin_va_end(list);
    return n;
}

/* asprintf: as vasprintf. */
int asprintf(char **to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vasprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}

/* fputc: the stream is one; the byte is initialised. */
int fputc(int c, FILE *stream)
{
    unsigned char byte = c;
    if (!writable(stream))
        return -1;
    __cairn_write(stream->fd, &byte, 1);
    return byte;
}

/* putc: as fputc. */
int putc(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* putchar: as fputc. */
int putchar(int c)
{
    return fputc(c, stdout);
}

/* putc_unlocked: as fputc. */
int putc_unlocked(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* fputc_unlocked: as fputc. */
int fputc_unlocked(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* putchar_unlocked: as fputc. */
int putchar_unlocked(int c)
{
    return fputc(c, stdout);
}

/* _IO_putc: as fputc. */
int _IO_putc(int c, FILE *stream)
{
    return fputc(c, stream);
}

/* fputs: the stream is one; the string terminated in bounds and initialised. */
int fputs(const char *text, FILE *stream)
{
    size_t n = __cairn_string_length(text);
    if (!writable(stream))
        return -1;
    __cairn_write(stream->fd, text, n);
    return 1;
}

/* fputs_unlocked: as fputs. */
int fputs_unlocked(const char *text, FILE *stream)
{
    return fputs(text, stream);
}

/* puts: as fputs. */
int puts(const char *text)
{
    size_t n = __cairn_string_length(text);
    if (!writable(stdout))
        return -1;
    __cairn_write(stdout->fd, text, n);
    __cairn_write(stdout->fd, "\n", 1);
    return n + 1 > 0x7fffffff ? 0x7fffffff : n + 1;
}

/* fwrite: the stream is one; all elements in bounds and initialised. */
size_t fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
    size_t bytes;
    if (!size || !count || !writable(stream))
        return 0;
    /* No object is as large as a product that overflows. */
    if (__builtin_mul_overflow(size, count, &bytes))
        bytes = ~(size_t)0 >> 1;
    __cairn_write(stream->fd, data, bytes);
    return count;
}

/* fwrite_unlocked: as fwrite. */
size_t fwrite_unlocked(const void *data, size_t size, size_t count, FILE *stream)
{
    return fwrite(data, size, count, stream);
}

/* fgetc: the stream is one. */
int fgetc(FILE *stream)
{
    if (stream->pushed_count)
        return stream->pushed[--stream->pushed_count];
    if (stream->fd != 0) {
        stream->failed = 1;
        *__errno_location() = 9;
        return -1;
    }
    if (stream->at_end)
        return -1;
    int c = __cairn_read_char(0);
    if (c < 0)
        stream->at_end = 1;
    return c;
}

/* getc: as fgetc. */
int getc(FILE *stream)
{
    return fgetc(stream);
}

/* getchar: as fgetc. */
int getchar(void)
{
    return fgetc(stdin);
}

/* getc_unlocked: as fgetc. */
int getc_unlocked(FILE *stream)
{
    return fgetc(stream);
}

/* fgetc_unlocked: as fgetc. */
int fgetc_unlocked(FILE *stream)
{
    return fgetc(stream);
}

/* getchar_unlocked: as fgetc. */
int getchar_unlocked(void)
{
    return fgetc(stdin);
}

/* _IO_getc: as fgetc. */
int _IO_getc(FILE *stream)
{
    return fgetc(stream);
}

/* ungetc: the stream is one; up to eight bytes are taken back. */
int ungetc(int c, FILE *stream)
{
    if (c == -1 || stream->pushed_count == sizeof stream->pushed)
        return -1;
    stream->pushed[stream->pushed_count++] = c;
    stream->at_end = 0;
    return (unsigned char)c;
}

/* fgets: the stream is one; everything written in bounds. */
char *fgets(char *to, int size, FILE *stream)
{
    int n = 0;
    if (size <= 0)
        return 0;
    while (n < size - 1) {
        int c = fgetc(stream);
        if (c < 0) {
            if (!n)
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

/* fgets_unlocked: as fgets. */
char *fgets_unlocked(char *to, int size, FILE *stream)
{
    return fgets(to, size, stream);
}

/* gets: everything written in bounds. */
char *gets(char *to)
{
    size_t n = 0;
    for (int c; (c = fgetc(stdin)) != '\n';) {
        if (c < 0) {
            if (!n)
                return 0;
            break;
        }
        to[n++] = c;
    }
    to[n] = 0;
    return to;
}

/* fread: the stream is one; everything written in bounds. */
size_t fread(void *to, size_t size, size_t count, FILE *stream)
{
    unsigned char *at = to;
    if (!size)
        return 0;
    for (size_t done = 0; done < count; done++)
        for (size_t i = 0; i < size; i++) {
            int c = fgetc(stream);
            if (c < 0)
                return done;
            *at++ = c;
        }
    return count;
}

/* fread_unlocked: as fread. */
size_t fread_unlocked(void *to, size_t size, size_t count, FILE *stream)
{
    return fread(to, size, count, stream);
}

/* getdelim: the stream is one; `*line` is null or the start of a live heap object of at least `*room` bytes. */
long getdelim(char **line, size_t *room, int delimiter, FILE *stream)
{
    size_t n = 0;
    /* The object is made before anything is read: it is there, to be freed, at the end of the input, too. */
    if (!*line || !*room) {
        char *first = __cairn_heap_realloc(*line, 120);
        if (!first)
            return -1;
        *line = first;
        *room = 120;
    }
    for (;;) {
        int c = fgetc(stream);
        if (c < 0 && !n)
            return -1;
        if (n + 2 > *room) {
            size_t more = *room * 2;
            char *grown = __cairn_heap_realloc(*line, more);
            if (!grown)
                return -1;
            *line = grown;
            *room = more;
        }
        if (c >= 0)
            (*line)[n++] = c;
        if (c < 0 || c == delimiter)
            break;
    }
    (*line)[n] = 0;
    return n;
}

/* getline: as getdelim. */
long getline(char **line, size_t *room, FILE *stream)
{
    return getdelim(line, room, '\n', stream);
}

/* feof: the stream is one. */
int feof(FILE *stream)
{
    return stream->at_end;
}

/* ferror: the stream is one. */
int ferror(FILE *stream)
{
    return stream->failed;
}

/* feof_unlocked: as feof. */
int feof_unlocked(FILE *stream)
{
    return stream->at_end;
}

/* ferror_unlocked: as ferror. */
int ferror_unlocked(FILE *stream)
{
    return stream->failed;
}

/* clearerr: the stream is one. */
void clearerr(FILE *stream)
{
    stream->at_end = 0;
    stream->failed = 0;
}

/* fileno: the stream is one. */
int fileno(FILE *stream)
{
    return stream->fd;
}

/* fflush: the stream is one, or null. */
int fflush(FILE *stream)
{
    return stream ? stream->fd * 0 : 0;
}

/* fflush_unlocked: as fflush. */
int fflush_unlocked(FILE *stream)
{
    return fflush(stream);
}

/* fclose: the stream is one; closing it again is unsupported. */
int fclose(FILE *stream)
{
    if (stream->fd < 0)
        __cairn_unsupported_closing_a_stream_twice();
    stream->fd = -1;
    stream->pushed_count = 0;
    return 0;
}

/* setvbuf: the stream is one. The program's own buffer is unsupported: it would have to outlive the stream. */
int setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    if (buffer && mode != 2)
        __cairn_unsupported_a_buffer_given_to_a_stream();
    return stream->fd * 0;
}

/* setbuf: as setvbuf. */
void setbuf(FILE *stream, char *buffer)
{
    setvbuf(stream, buffer, 0, 0);
}

/* setbuffer: as setvbuf. */
void setbuffer(FILE *stream, char *buffer, size_t size)
{
    setvbuf(stream, buffer, 0, size);
}

/* setlinebuf: as setvbuf. */
void setlinebuf(FILE *stream)
{
    setvbuf(stream, 0, 1, 0);
}

static void *refuse(const char *path, const char *mode)
{
    __cairn_string_length(path);
    __cairn_string_length(mode);
    __cairn_one_answer();
    *__errno_location() = 2;
    return 0;
}

/* fopen: both strings terminated in bounds; refused. */
FILE *fopen(const char *path, const char *mode)
{
    return refuse(path, mode);
}

/* fopen64: as fopen. */
FILE *fopen64(const char *path, const char *mode)
{
    return refuse(path, mode);
}

/* freopen: as fopen; the stream is closed. */
FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    fclose(stream);
    return refuse(path ? path : "", mode);
}

/* fdopen: mode terminated in bounds; refused. */
FILE *fdopen(int fd, const char *mode)
{
    return refuse("", mode);
}

/* tmpfile: no checks; refused. */
FILE *tmpfile(void)
{
    return refuse("", "");
}

/* remove: path terminated in bounds; refused. */
int remove(const char *path)
{
    refuse(path, "");
    return -1;
}

/* unlink: as remove. */
int unlink(const char *path)
{
    refuse(path, "");
    return -1;
}

/* rename: both paths terminated in bounds; refused. */
int rename(const char *from, const char *to)
{
    refuse(from, to);
    return -1;
}

static int no_seeking(FILE *stream)
{
    __cairn_one_answer();
    *__errno_location() = stream->fd < 0 ? 9 : 29;
    return -1;
}

/* fseek: the stream is one; refused, as on a pipe. */
int fseek(FILE *stream, long offset, int whence)
{
    return no_seeking(stream);
}

/* fseeko: as fseek. */
int fseeko(FILE *stream, long offset, int whence)
{
    return no_seeking(stream);
}

/* ftell: as fseek. */
long ftell(FILE *stream)
{
    return no_seeking(stream);
}

/* ftello: as fseek. */
long ftello(FILE *stream)
{
    return no_seeking(stream);
}

/* rewind: as fseek. */
void rewind(FILE *stream)
{
    no_seeking(stream);
    clearerr(stream);
}

/* flockfile: the stream is one. */
void flockfile(FILE *stream)
{
    (void)*(volatile int *)&stream->fd;
}

/* funlockfile: the stream is one. */
void funlockfile(FILE *stream)
{
    (void)*(volatile int *)&stream->fd;
}
