/* stdio.h: the state and the buffers of streams. */

/* feof: requires a valid stream. */
int feof(FILE *stream)
{
    return stream->at_end;
}

/* ferror: requires a valid stream. */
int ferror(FILE *stream)
{
    return stream->failed;
}

/* feof_unlocked: like feof. */
int feof_unlocked(FILE *stream)
{
    return stream->at_end;
}

/* ferror_unlocked: like ferror. */
int ferror_unlocked(FILE *stream)
{
    return stream->failed;
}

/* clearerr: requires a valid stream. */
void clearerr(FILE *stream)
{
    stream->at_end = 0;
    stream->failed = 0;
}

/* fileno: requires a valid stream. */
int fileno(FILE *stream)
{
    if (stream->memory)
        *__errno_location() = 9;
    if (stream->memory || stream->fd == CLOSED)
        return -1;
    return stream->number;
}

/* fflush: requires a valid stream or null. */
int fflush(FILE *stream)
{
    if (stream && stream->memory) {
        settle(stream->memory);
        return 0;
    }
    return -flush(stream ? stream : stdout);
}

/* fflush_unlocked: like fflush. */
int fflush_unlocked(FILE *stream)
{
    return fflush(stream);
}

/* fclose: requires a valid stream. Closing it twice is a use after free, and unsupported for a standard stream. */
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
    if (stream->fd >= FILES)
        return close_file(stream);
    if (stream->fd == CLOSED)
        __cairn_unsupported_closing_a_stream_twice();
    if (stream->fd == WITHOUT_DESCRIPTOR) {
        *__errno_location() = 9;
        stream->fd = CLOSED;
        return -1;
    }
    int fails = flush(stream);
    stream->fd = CLOSED;
    stream->pushed_count = 0;
    return -fails;
}

/* setvbuf: requires a valid stream. A buffer of the program is unsupported, since it must outlive the stream. */
int setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    if (buffer && mode != 2)
        __cairn_unsupported_a_buffer_given_to_a_stream();
    return -(__cairn_vary(stream->fd * 0) != 0);
}

/* setbuf: like setvbuf. */
void setbuf(FILE *stream, char *buffer)
{
    setvbuf(stream, buffer, 0, 0);
}

/* setbuffer: like setvbuf. */
void setbuffer(FILE *stream, char *buffer, size_t size)
{
    setvbuf(stream, buffer, 0, size);
}

/* setlinebuf: like setvbuf. */
void setlinebuf(FILE *stream)
{
    setvbuf(stream, 0, 1, 0);
}
