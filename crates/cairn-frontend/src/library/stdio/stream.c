/* stdio.h: the three standard streams, and streams in memory. Opening a file fails with ENOENT, as in an empty,
   read-only directory. Nothing is buffered, so that output stays in order. */

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
int __cairn_vary(int value);
void __cairn_unsupported_a_buffer_given_to_a_stream(void);
void __cairn_unsupported_closing_a_stream_twice(void);
void __cairn_unsupported_pushing_back_more_than_eight_bytes(void);
void __cairn_unsupported_this_mode_of_a_stream_in_memory(void);

/* The descriptor of a closed stream, and of an open one whose descriptor the program closed. */
enum { CLOSED = -1, WITHOUT_DESCRIPTOR = -2 };

/* The descriptor of all streams of files, which have a number of their own. */
enum { FILES = 3 };

typedef struct stream {
    int fd;
    int number; /* the descriptor of a file */
    int at_end;
    int failed;
    int pushed_count;
    unsigned char pushed[8];
    struct memory *memory;
} FILE;

/* The data of a stream in memory. A list holds all open streams, so that none of them is leaked. */
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

static int close_file(FILE *stream);
static int is_empty(FILE *stream);
static int read_fails(void);

static FILE standard[3] = { { 0 }, { 1, 1 }, { 2, 2 } };
FILE *stdin = &standard[0];
FILE *stdout = &standard[1];
FILE *stderr = &standard[2];

/* __cairn_reads_memory: requires a valid stream. Returns whether its text is in memory of the program. */
int __cairn_reads_memory(FILE *stream)
{
    return stream->memory != 0;
}

/* __cairn_is_open: no checks. Returns whether a descriptor is open. */
int __cairn_is_open(int fd)
{
    return fd >= 0 && fd <= 2 && standard[fd].fd == fd;
}

/* __cairn_close_descriptor: no checks. Closes a standard descriptor that is open and leaves its stream without one. */
void __cairn_close_descriptor(int fd)
{
    standard[fd].fd = WITHOUT_DESCRIPTOR;
}

/* Returns the address of the next argument of a list. In both ABIs, the first word of the list holds it. LP64 passes
   the list by address, ILP32 by value. */
static void *arguments(__builtin_va_list list)
{
    return __builtin_choose_expr(sizeof(void *) == 8, *(void **)list, (void *)list);
}

/* Returns whether the stream accepts output; sets its error flag otherwise. A stream without a descriptor still collects it. */
static int writable(FILE *stream)
{
    if (stream->fd == 1 || stream->fd == 2 || stream->fd >= FILES || stream->fd == WITHOUT_DESCRIPTOR)
        return 1;
    if (stream->memory && stream->memory->writes)
        return 1;
    stream->failed = 1;
    *__errno_location() = 9;
    return 0;
}

/* Makes room for bytes at the position, and for a terminator if the stream owns its buffer; returns how many bytes fit.
   A real stream may detect a write past the end of a given buffer later. */
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
    /* The gap after the end is filled with zeros. */
    while (wanted && memory->size < memory->at)
        memory->data[memory->size++] = 0;
    return wanted;
}

/* Writes the terminator of a stream in memory, and updates the program's pointer and size. */
static void settle(struct memory *memory)
{
    if (memory->writes && memory->size < memory->room)
        memory->data[memory->size] = 0;
    if (memory->shown) {
        *memory->shown = memory->data;
        *memory->shown_size = memory->at < memory->size ? memory->at : memory->size;
    }
}

/* Advances the position of a stream in memory past the written bytes. */
static void advance(struct memory *memory, size_t written)
{
    memory->at += written;
    if (memory->size < memory->at)
        memory->size = memory->at;
}

/* Notes that output may have failed. */
static void note_output(FILE *stream)
{
    stream->failed = __cairn_vary(stream->failed);
    *__errno_location() = __cairn_vary(*__errno_location());
}

/* Passes buffered output on; returns whether that failed. */
static int flush(FILE *stream)
{
    note_output(stream);
    return __cairn_vary(0) != 0;
}

/* Writes bytes; returns whether all of them were written. The callers do not branch on the result, which would double the paths of
   a symbolic execution at every output. */
static int emit(FILE *stream, const void *data, size_t size)
{
    struct memory *memory = stream->memory;
    if (!memory) {
        __cairn_write(stream->fd, data, size);
        note_output(stream);
        return __cairn_vary(1) != 0;
    }
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
