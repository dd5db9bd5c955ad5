/* Small parts of unistd.h, locale.h and signal.h that ask for nothing but an answer. What needs processes, threads or files is
   not modelled and thus unsupported. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
int __cairn_write(int fd, const void *data, size_t size);
int __cairn_read_char(int fd);
void __cairn_one_answer(void);
void __cairn_unsupported_closing_a_standard_stream(void);
void __cairn_unsupported_a_handler_for_abort(void);

/* write: the region in bounds and initialised; only standard output and standard error are open. */
long write(int fd, const void *data, size_t size)
{
    if (fd != 1 && fd != 2) {
        *__errno_location() = 9;
        return -1;
    }
    __cairn_write(fd, data, size);
    __cairn_one_answer();
    return size;
}

/* read: everything written in bounds; only standard input is open, and one line is read at a time. */
long read(int fd, void *to, size_t size)
{
    if (fd != 0) {
        *__errno_location() = 9;
        return -1;
    }
    __cairn_one_answer();
    char *at = to;
    size_t n = 0;
    while (n < size) {
        int c = __cairn_read_char(0);
        if (c < 0)
            break;
        at[n++] = c;
        if (c == '\n')
            break;
    }
    return n;
}

/* open: path terminated in bounds; refused. */
int open(const char *path, int flags, ...)
{
    __cairn_string_length(path);
    __cairn_one_answer();
    *__errno_location() = 2;
    return -1;
}

/* close: no checks; closing one of the three standard streams is unsupported. */
int close(int fd)
{
    if (fd >= 0 && fd <= 2)
        __cairn_unsupported_closing_a_standard_stream();
    *__errno_location() = 9;
    return -1;
}

/* access: path terminated in bounds; nothing exists. */
int access(const char *path, int mode)
{
    __cairn_string_length(path);
    __cairn_one_answer();
    *__errno_location() = 2;
    return -1;
}

/* isatty: no checks; nothing is a terminal. */
int isatty(int fd)
{
    __cairn_one_answer();
    *__errno_location() = 25;
    return 0;
}

/* getpid: no checks. */
int getpid(void)
{
    __cairn_one_answer();
    return 4242;
}

/* getppid: no checks. */
int getppid(void)
{
    __cairn_one_answer();
    return 1;
}

/* getuid: no checks. */
unsigned int getuid(void)
{
    __cairn_one_answer();
    return 1000;
}

/* geteuid: no checks. */
unsigned int geteuid(void)
{
    __cairn_one_answer();
    return 1000;
}

/* getpagesize: no checks. */
int getpagesize(void)
{
    __cairn_one_answer();
    return 4096;
}

/* sched_yield: no checks. */
int sched_yield(void)
{
    return 0;
}

/* setlocale: name terminated in bounds, or null; only "C" and its synonyms exist. */
char *setlocale(int category, const char *name)
{
    __cairn_one_answer();
    if (!name || !*name || (name[0] == 'C' && !name[1]))
        return (char *)"C";
    const char *posix = "POSIX";
    while (*name && *name == *posix) {
        name++;
        posix++;
    }
    return *name == *posix ? (char *)"C" : (char *)0;
}

/* signal: no checks. No signal comes from outside, and raise is unsupported; abort would call a handler for SIGABRT, which is
   unsupported, too. */
void (*signal(int number, void (*handler)(int)))(int)
{
    __cairn_one_answer();
    static void (*handlers[65])(int);
    if (number < 1 || number > 64) {
        *__errno_location() = 22;
        return (void (*)(int))-1;
    }
    if (number == 6 && (unsigned long)handler > 1)
        __cairn_unsupported_a_handler_for_abort();
    void (*before)(int) = handlers[number];
    handlers[number] = handler;
    return before;
}
