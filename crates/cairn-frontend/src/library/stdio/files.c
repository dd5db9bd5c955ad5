/* stdio.h: files, all of which are refused. */

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
