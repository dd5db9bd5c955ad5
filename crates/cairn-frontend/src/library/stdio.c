/* stdio.h: the three standard streams, and streams in memory. Files are refused (fopen fails with ENOENT), as in an empty
   directory that can't be written to. Nothing is buffered, so that output stays in order. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
void *__cairn_heap_alloc(size_t size);
void *__cairn_heap_realloc(void *old, size_t size);
void __cairn_heap_free(void *old);
size_t __cairn_string_length(const char *text);
int __cairn_write(int fd, const void *data, size_t size);
int __cairn_read_char(int fd);
int __cairn_format_file(int fd, const char *format, void *arguments);
int __cairn_format_buffer(char *to, size_t size, const char *format, void *arguments);
void __cairn_one_answer(void);
void __cairn_unsupported_a_buffer_given_to_a_stream(void);
void __cairn_unsupported_closing_a_stream_twice(void);
void __cairn_unsupported_this_mode_of_a_stream_in_memory(void);

typedef struct stream {
    int fd;
    int at_end;
    int failed;
    int pushed_count;
    unsigned char pushed[8];
    struct memory *memory;
} FILE;

/* What a stream in memory reads and writes. The streams that are open are in a list, so that none of them is lost. */
struct memory {
    FILE stream;
    struct memory *next, **link;
    char *data;
    size_t size, room, at;
    int reads, writes, appends, owned;
    char **shown;
    size_t *shown_size;
};

static struct memory *open_in_memory;

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
    if (stream->memory && stream->memory->writes)
        return 1;
    stream->failed = 1;
    *__errno_location() = 9;
    return 0;
}

/* Makes room for bytes at the position, and for a zero after them where the stream makes its own room; returns how many fit.
   When they are written past the end of a buffer that was given, a real stream may notice later. */
static size_t make_room(struct memory *memory, size_t wanted)
{
    if (memory->appends)
        memory->at = memory->size;
    size_t needed = memory->at + wanted + 1;
    if (memory->shown && needed > memory->room) {
        char *data = __cairn_heap_realloc(memory->data, 2 * needed);
        if (!data)
            return 0;
        memory->data = data;
        memory->room = 2 * needed;
    }
    if (memory->at + wanted > memory->room) {
        __cairn_one_answer();
        memory->stream.failed = 1;
        wanted = memory->at < memory->room ? memory->room - memory->at : 0;
    }
    /* Behind the end there are zeros. */
    while (wanted && memory->size < memory->at)
        memory->data[memory->size++] = 0;
    return wanted;
}

/* Puts the zero after what a stream in memory holds, and shows the program where it is. */
static void settle(struct memory *memory)
{
    if (memory->writes && memory->size < memory->room)
        memory->data[memory->size] = 0;
    if (memory->shown) {
        *memory->shown = memory->data;
        *memory->shown_size = memory->at < memory->size ? memory->at : memory->size;
    }
}

/* Counts bytes that were written at the position of a stream in memory. */
static void advance(struct memory *memory, size_t written)
{
    memory->at += written;
    if (memory->size < memory->at)
        memory->size = memory->at;
}

static int emit(FILE *stream, const void *data, size_t size)
{
    struct memory *memory = stream->memory;
    if (!memory)
        return __cairn_write(stream->fd, data, size), 1;
    size_t fits = make_room(memory, size);
    __builtin_memcpy(memory->data + memory->at, data, fits);
    advance(memory, fits);
    return fits == size;
}

static int print(struct memory *memory, const char *format, void *first)
{
    int n = __cairn_format_buffer(0, 0, format, first);
    if (n < 0)
        return -1;
    char *text = __cairn_heap_alloc((size_t)n + 1);
    if (!text)
        return -1;
    __cairn_format_buffer(text, (size_t)n + 1, format, first);
    int done = emit(&memory->stream, text, n);
    __cairn_heap_free(text);
    return done ? n : -1;
}

/* vfprintf: the stream is one; format terminated in bounds; each argument present and of its type; strings terminated; nothing
   uninitialised is printed. */
int vfprintf(FILE *stream, const char *format, __builtin_va_list list)
{
    if (!writable(stream))
        return -1;
    if (stream->memory)
        return print(stream->memory, format, arguments(list));
    return __cairn_format_file(stream->fd, format, arguments(list));
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
    return emit(stream, &byte, 1) ? byte : -1;
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
    return emit(stream, text, n) ? 1 : -1;
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
    if (!emit(stdout, text, n) || !emit(stdout, "\n", 1))
        return -1;
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
    return emit(stream, data, bytes) ? count : 0;
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
    struct memory *memory = stream->memory;
    if (memory && memory->reads) {
        if (memory->at < memory->size)
            return (unsigned char)memory->data[memory->at++];
        stream->at_end = 1;
        return -1;
    }
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
    if (stream && stream->memory)
        settle(stream->memory);
    return stream ? stream->fd * 0 : 0;
}

/* fflush_unlocked: as fflush. */
int fflush_unlocked(FILE *stream)
{
    return fflush(stream);
}

/* fclose: the stream is one; closing it again is unsupported, of a stream in memory a use after free. */
int fclose(FILE *stream)
{
    struct memory *memory = stream->memory;
    if (memory) {
        settle(memory);
        if (memory->owned)
            __cairn_heap_free(memory->data);
        *memory->link = memory->next;
        if (memory->next)
            memory->next->link = memory->link;
        __cairn_heap_free(memory);
        return 0;
    }
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

static struct memory *new_stream(void)
{
    struct memory *memory = __cairn_heap_alloc(sizeof *memory);
    if (!memory)
        return 0;
    *memory = (struct memory){ .stream = { .fd = -1, .memory = memory }, .next = open_in_memory, .link = &open_in_memory };
    if (open_in_memory)
        open_in_memory->link = &memory->next;
    open_in_memory = memory;
    return memory;
}

/* open_memstream: both pointers writable when the stream is made, flushed and closed; the text is a heap object. */
FILE *open_memstream(char **text, size_t *size)
{
    char *data = __cairn_heap_alloc(64);
    if (!data)
        return 0;
    struct memory *memory = new_stream();
    if (!memory) {
        __cairn_heap_free(data);
        return 0;
    }
    memory->data = data;
    memory->room = 64;
    memory->writes = 1;
    memory->shown = text;
    memory->shown_size = size;
    settle(memory);
    return &memory->stream;
}

/* fmemopen: mode terminated in bounds; the buffer is accessed in bounds when something is read, written or closed. */
FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
    int plus = mode[__cairn_string_length(mode) - 1] == '+' || (mode[0] && mode[1] == '+');
    if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a')
        __cairn_unsupported_this_mode_of_a_stream_in_memory();
    char *data = buffer;
    if (!buffer) {
        data = __cairn_heap_alloc(size ? size : 1);
        if (!data)
            return 0;
        data[0] = 0;
    }
    struct memory *memory = new_stream();
    if (!memory) {
        if (!buffer)
            __cairn_heap_free(data);
        return 0;
    }
    memory->data = data;
    memory->room = size;
    memory->owned = !buffer;
    memory->reads = mode[0] == 'r' || plus;
    memory->writes = mode[0] != 'r' || plus;
    memory->appends = mode[0] == 'a';
    if (mode[0] == 'w' && size)
        data[0] = 0;
    /* Reading goes up to the end of the buffer, appending starts at the first zero. */
    if (mode[0] == 'r')
        memory->size = size;
    else
        while (mode[0] == 'a' && memory->size < size && data[memory->size])
            memory->size++;
    memory->at = memory->appends ? memory->size : 0;
    return &memory->stream;
}

static int seek(struct memory *memory, long offset, int whence)
{
    long from = whence == 0 ? 0 : whence == 1 ? (long)memory->at - memory->stream.pushed_count : (long)memory->size;
    if (whence < 0 || whence > 2 || from + offset < 0 || (!memory->shown && (size_t)(from + offset) > memory->room)) {
        *__errno_location() = 22;
        return -1;
    }
    memory->at = from + offset;
    memory->stream.at_end = 0;
    memory->stream.pushed_count = 0;
    return 0;
}

static int no_seeking(FILE *stream)
{
    __cairn_one_answer();
    *__errno_location() = stream->fd < 0 ? 9 : 29;
    return -1;
}

/* fseek: the stream is one; refused, as on a pipe, when it is not in memory. */
int fseek(FILE *stream, long offset, int whence)
{
    return stream->memory ? seek(stream->memory, offset, whence) : no_seeking(stream);
}

/* fseeko: as fseek. */
int fseeko(FILE *stream, long offset, int whence)
{
    return fseek(stream, offset, whence);
}

/* ftell: as fseek. */
long ftell(FILE *stream)
{
    return stream->memory ? (long)stream->memory->at - stream->pushed_count : no_seeking(stream);
}

/* ftello: as fseek. */
long ftello(FILE *stream)
{
    return ftell(stream);
}

/* rewind: as fseek. */
void rewind(FILE *stream)
{
    fseek(stream, 0, 0);
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
