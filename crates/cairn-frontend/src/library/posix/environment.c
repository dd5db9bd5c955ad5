/* The environment of the process: empty. */

typedef __typeof__(sizeof 0) size_t;

size_t __cairn_string_length(const char *text);
void __cairn_one_answer(void);
void *__cairn_heap_alloc(size_t size);
int *__errno_location(void);

/* getenv: requires a terminated name in bounds. The environment is empty. */
char *getenv(const char *name)
{
    __cairn_string_length(name);
    __cairn_one_answer();
    return 0;
}

/* secure_getenv: like getenv. */
char *secure_getenv(const char *name)
{
    return getenv(name);
}

/* getcwd: requires `size` writable bytes, or null for new memory. The working directory is the root. */
char *getcwd(char *to, size_t size)
{
    __cairn_one_answer();
    if (size == 0 && to) {
        *__errno_location() = 22;
        return 0;
    }
    if (size == 1) {
        *__errno_location() = 34;
        return 0;
    }
    if (!to && !(to = __cairn_heap_alloc(size ? size : 2)))
        return 0;
    to[0] = '/';
    to[1] = 0;
    return to;
}
