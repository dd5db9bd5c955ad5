/* stdio.h: streams in memory, positions in streams, and locks. */

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

/* open_memstream: requires both pointers writable at creation, flush and close. The text is a heap object. */
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

/* fmemopen: requires a terminated mode in bounds. Reading, writing and closing check the buffer. */
FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
    size_t length = __cairn_string_length(mode);
    if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a') {
        *__errno_location() = 22;
        return 0;
    }
    int plus = mode[length - 1] == '+' || mode[1] == '+';
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
    /* Reading extends to the end of the buffer; appending starts at the first zero. */
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

/* fseek: requires a valid stream. Fails, as on a pipe, unless the stream is in memory. */
int fseek(FILE *stream, long offset, int whence)
{
    return stream->memory ? seek(stream->memory, offset, whence) : no_seeking(stream);
}

/* fseeko: like fseek. */
int fseeko(FILE *stream, long offset, int whence)
{
    return fseek(stream, offset, whence);
}

/* ftell: like fseek. */
long ftell(FILE *stream)
{
    return stream->memory ? (long)stream->memory->at - stream->pushed_count : no_seeking(stream);
}

/* ftello: like fseek. */
long ftello(FILE *stream)
{
    return ftell(stream);
}

/* fgetpos: like fseek. Requires a writable position. */
int fgetpos(FILE *stream, long *position)
{
    long at = ftell(stream);
    if (at < 0)
        return -1;
    *position = at;
    return 0;
}

/* fsetpos: like fseek. Requires a readable position. */
int fsetpos(FILE *stream, const long *position)
{
    return fseek(stream, *position, 0);
}

/* rewind: like fseek. */
void rewind(FILE *stream)
{
    fseek(stream, 0, 0);
    clearerr(stream);
}

/* flockfile: requires a valid stream. */
void flockfile(FILE *stream)
{
    (void)*(volatile int *)&stream->fd;
}

/* funlockfile: requires a valid stream. */
void funlockfile(FILE *stream)
{
    (void)*(volatile int *)&stream->fd;
}
