/* stdio.h: files. Each operation on a file may fail, and so may reading the standard input. A stream must be closed, and an
   access after fclose is a fault. */

void *__cairn_open_resource(size_t size);
void __cairn_close_resource(void *resource);
void __cairn_unsupported_reopening_a_stream_in_memory(void);
int __cairn_any_int(void);
void __cairn_assume(int condition);

static int cairn_refuses(void)
{
    if (!__cairn_any_int())
        return 0;
    int number = __cairn_any_int();
    __cairn_assume(number > 0 && number < 134);
    *__errno_location() = number;
    return 1;
}

/* Returns any descriptor. The standard ones may be closed. */
static int cairn_descriptor(void)
{
    int fd = __cairn_any_int();
    __cairn_assume(fd >= 0);
    return fd;
}

static FILE *cairn_open(void)
{
    if (cairn_refuses())
        return 0;
    FILE *stream = __cairn_open_resource(sizeof(FILE));
    stream->fd = FILES;
    stream->number = cairn_descriptor();
    return stream;
}

static int close_file(FILE *stream)
{
    if (stream == &standard[0] || stream == &standard[1] || stream == &standard[2])
        stream->fd = CLOSED;
    else
        __cairn_close_resource(stream);
    return -cairn_refuses();
}

static int is_empty(FILE *stream)
{
    return 0;
}

/* Sets any error number without a branch, so that a symbolic execution has no further path. */
static int read_fails(void)
{
    int fails = __cairn_any_int() != 0, number = __cairn_any_int();
    __cairn_assume((number > 0) & (number < 134));
    int *error = __errno_location();
    *error = (*error & (fails - 1)) | (number & -fails);
    return fails;
}

/* fopen: requires two terminated strings in bounds. */
FILE *fopen(const char *path, const char *mode)
{
    __cairn_string_length(path);
    __cairn_string_length(mode);
    return cairn_open();
}

/* fopen64: like fopen. */
FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

/* freopen: like fopen. Closes the stream if the file cannot be opened. */
FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    if (path)
        __cairn_string_length(path);
    __cairn_string_length(mode);
    if (stream->memory)
        __cairn_unsupported_reopening_a_stream_in_memory();
    if (cairn_refuses()) {
        fclose(stream);
        return 0;
    }
    stream->fd = FILES;
    stream->number = cairn_descriptor();
    stream->at_end = stream->failed = stream->pushed_count = 0;
    return stream;
}

/* fdopen: requires a terminated mode in bounds. */
FILE *fdopen(int fd, const char *mode)
{
    __cairn_string_length(mode);
    FILE *stream = cairn_open();
    if (stream)
        stream->number = fd;
    return stream;
}

/* tmpfile: no checks. */
FILE *tmpfile(void)
{
    return cairn_open();
}

/* popen: requires two terminated strings in bounds. */
FILE *popen(const char *command, const char *mode)
{
    return fopen(command, mode);
}

/* pclose: requires a valid stream. Returns any status. */
int pclose(FILE *stream)
{
    int status = __cairn_any_int();
    return fclose(stream) | status;
}

/* remove: requires a terminated path in bounds. */
int remove(const char *path)
{
    __cairn_string_length(path);
    return -cairn_refuses();
}

/* unlink: like remove. */
int unlink(const char *path)
{
    return remove(path);
}

/* rename: requires two terminated paths in bounds. */
int rename(const char *from, const char *to)
{
    __cairn_string_length(from);
    return remove(to);
}
