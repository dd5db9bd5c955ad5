/* stdio.h: files. The only one is /dev/null, which accepts any text and holds none. Every operation on another file fails. */

void *__cairn_open_resource(size_t size);
void __cairn_close_resource(void *resource);

static void *refuse(const char *path, const char *mode)
{
    __cairn_string_length(path);
    __cairn_string_length(mode);
    __cairn_one_answer();
    *__errno_location() = 2;
    return 0;
}

static void *open_null(const char *path, const char *mode)
{
    const char *null = "/dev/null";
    while (*null && *null == *path)
        null++, path++;
    if (*null || *path || (*mode != 'r' && *mode != 'w' && *mode != 'a'))
        return refuse(path, mode);
    __cairn_string_length(mode);
    FILE *stream = __cairn_open_resource(sizeof(FILE));
    stream->fd = stream->number = FILES;
    return stream;
}

static int close_file(FILE *stream)
{
    __cairn_close_resource(stream);
    return 0;
}

static int is_empty(FILE *stream)
{
    return stream->fd >= FILES;
}

static int read_fails(void)
{
    return 0;
}

/* fopen: requires two terminated strings in bounds. Only /dev/null can be opened. */
FILE *fopen(const char *path, const char *mode)
{
    return open_null(path, mode);
}

/* fopen64: like fopen. */
FILE *fopen64(const char *path, const char *mode)
{
    return open_null(path, mode);
}

/* freopen: requires a valid stream and two terminated strings in bounds. Always fails. Closes the stream. */
FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    fclose(stream);
    return refuse(path ? path : "", mode);
}

/* fdopen: requires a terminated mode in bounds. Always fails. */
FILE *fdopen(int fd, const char *mode)
{
    return refuse("", mode);
}

/* tmpfile: no checks. Always fails. */
FILE *tmpfile(void)
{
    return refuse("", "");
}

/* popen: requires two terminated strings in bounds. Always fails. */
FILE *popen(const char *command, const char *mode)
{
    return refuse(command, mode);
}

/* pclose: requires a valid stream. */
int pclose(FILE *stream)
{
    return fclose(stream);
}

/* remove: requires a terminated path in bounds. Always fails. */
int remove(const char *path)
{
    refuse(path, "");
    return -1;
}

/* unlink: like remove. */
int unlink(const char *path)
{
    refuse(path, "");
    return -1;
}

/* rename: requires two terminated paths in bounds. Always fails. */
int rename(const char *from, const char *to)
{
    refuse(from, to);
    return -1;
}
