/* stdio.h: the state and the buffers of a stream. */

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
