/* stdio.h: files. Every operation on a file fails. */

static void *refuse(const char *path, const char *mode)
{
    __cairn_string_length(path);
    __cairn_string_length(mode);
    __cairn_one_answer();
    *__errno_location() = 2;
    return 0;
}

/* There is no stream of a file that could be closed or read. */
static int close_file(FILE *stream)
{
    return 0;
}

static int read_fails(void)
{
    return 0;
}

/* fopen: requires two terminated strings in bounds. Always fails. */
FILE *fopen(const char *path, const char *mode)
{
    return refuse(path, mode);
}

/* fopen64: like fopen. */
FILE *fopen64(const char *path, const char *mode)
{
    return refuse(path, mode);
}

/* freopen: like fopen. Closes the stream. */
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
