/* stdio.h: input. */

/* fgetc: requires a valid stream. */
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
    if (stream->fd != 0 && stream->fd < FILES) {
        stream->failed = 1;
        *__errno_location() = 9;
        return -1;
    }
    if (stream->at_end || is_empty(stream)) {
        stream->at_end = 1;
        return -1;
    }
    int c = __cairn_read_char(0);
    if (c < 0 && read_fails())
        stream->failed = 1;
    else if (c < 0)
        stream->at_end = 1;
    return c;
}

/* getc: like fgetc. */
int getc(FILE *stream)
{
    return fgetc(stream);
}

/* getchar: like fgetc. */
int getchar(void)
{
    return fgetc(stdin);
}

/* getc_unlocked: like fgetc. */
int getc_unlocked(FILE *stream)
{
    return fgetc(stream);
}

/* fgetc_unlocked: like fgetc. */
int fgetc_unlocked(FILE *stream)
{
    return fgetc(stream);
}

/* getchar_unlocked: like fgetc. */
int getchar_unlocked(void)
{
    return fgetc(stdin);
}

/* _IO_getc: like fgetc. */
int _IO_getc(FILE *stream)
{
    return fgetc(stream);
}

/* ungetc: requires a valid stream. Up to eight bytes can be pushed back. */
int ungetc(int c, FILE *stream)
{
    if (c == -1)
        return -1;
    if (stream->pushed_count == sizeof stream->pushed)
        __cairn_unsupported_pushing_back_more_than_eight_bytes();
    stream->pushed[stream->pushed_count++] = c;
    stream->at_end = 0;
    return (unsigned char)c;
}

/* fgets: requires a valid stream and all written bytes in bounds. */
char *fgets(char *to, int size, FILE *stream)
{
    int n = 0;
    if (size <= 0)
        return 0;
    while (n < size - 1) {
        int c = fgetc(stream);
        if (c < 0) {
            /* After an error, the contents are indeterminate. */
            if (!n || !stream->at_end)
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

/* fgets_unlocked: like fgets. */
char *fgets_unlocked(char *to, int size, FILE *stream)
{
    return fgets(to, size, stream);
}

/* gets: requires all written bytes in bounds. */
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

/* fread: requires a valid stream and all written bytes in bounds. */
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

/* fread_unlocked: like fread. */
size_t fread_unlocked(void *to, size_t size, size_t count, FILE *stream)
{
    return fread(to, size, count, stream);
}

/* getdelim: requires a valid stream, and `*line` null or a live heap object of at least `*room` bytes. */
long getdelim(char **line, size_t *room, int delimiter, FILE *stream)
{
    size_t n = 0;
    /* Allocate before reading, as glibc does: even at the end of the input, the program must free the object. */
    if (!*line || !*room) {
        /* glibc forgets an object whose size is given as 0; other libraries reuse it. */
        char *first = __cairn_heap_realloc(__cairn_vary(0) ? *line : 0, 120);
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

/* getline: like getdelim. */
long getline(char **line, size_t *room, FILE *stream)
{
    return getdelim(line, room, '\n', stream);
}
