/* Simple functions of unistd.h and signal.h. Functions that need threads or files are not modelled, and
   therefore unsupported. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
int __cairn_write(int fd, const void *data, size_t size);
int __cairn_read_char(int fd);
int __cairn_is_open(int fd);
void __cairn_close_descriptor(int fd);
void __cairn_one_answer(void);
void __cairn_unsupported_a_handler_for_abort(void);

/* write: requires an initialised region in bounds. Only standard output and standard error can be open. */
long write(int fd, const void *data, size_t size)
{
    if (fd == 0 || !__cairn_is_open(fd)) {
        *__errno_location() = 9;
        return -1;
    }
    __cairn_write(fd, data, size);
    __cairn_one_answer();
    return size;
}

/* read: requires all written bytes in bounds. Only standard input can be open, and one line is read at a time. */
long read(int fd, void *to, size_t size)
{
    if (fd != 0 || !__cairn_is_open(fd)) {
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

/* open: requires a terminated path in bounds. Always fails. */
int open(const char *path, int flags, ...)
{
    __cairn_string_length(path);
    __cairn_one_answer();
    *__errno_location() = 2;
    return -1;
}

/* close: no checks. Only the standard descriptors can be open. */
int close(int fd)
{
    if (!__cairn_is_open(fd)) {
        *__errno_location() = 9;
        return -1;
    }
    __cairn_one_answer();
    __cairn_close_descriptor(fd);
    return 0;
}

/* access: requires a terminated path in bounds. No file exists. */
int access(const char *path, int mode)
{
    __cairn_string_length(path);
    __cairn_one_answer();
    *__errno_location() = 2;
    return -1;
}

/* sched_yield: no checks. */
int sched_yield(void)
{
    return 0;
}

struct action {
    void (*handler)(int);
    unsigned long mask[128 / sizeof(long)];
    int flags;
    void (*restorer)(void);
};

static struct action actions[65];

/* signal: no checks. No signal arrives from outside, and raise is unsupported. A handler for SIGABRT is unsupported
   too, since abort would call it. */
void (*signal(int number, void (*handler)(int)))(int)
{
    __cairn_one_answer();
    if (number < 1 || number > 64 || number == 9 || number == 19) {
        *__errno_location() = 22;
        return (void (*)(int))-1;
    }
    if (number == 6 && (unsigned long)handler > 1)
        __cairn_unsupported_a_handler_for_abort();
    void (*before)(int) = actions[number].handler;
    actions[number].handler = handler;
    return before;
}

/* sigaction: requires non-null pointers to be in bounds. A handler for SIGABRT is unsupported, as for signal. */
int sigaction(int number, const struct action *action, struct action *before)
{
    __cairn_one_answer();
    if (number < 1 || number > 64 || (action && (number == 9 || number == 19))) {
        *__errno_location() = 22;
        return -1;
    }
    if (action && number == 6 && (unsigned long)action->handler > 1)
        __cairn_unsupported_a_handler_for_abort();
    struct action old = actions[number];
    if (action)
        actions[number] = *action;
    if (before)
        *before = old;
    return 0;
}

/* sigemptyset: requires the set in bounds. */
int sigemptyset(unsigned long *set)
{
    for (unsigned i = 0; i < 128 / sizeof(long); i++)
        set[i] = 0;
    return 0;
}

/* sigfillset: requires the set in bounds. */
int sigfillset(unsigned long *set)
{
    for (unsigned i = 0; i < 128 / sizeof(long); i++)
        set[i] = -1;
    return 0;
}

static unsigned long *word_of(unsigned long *set, int number, unsigned long *bit)
{
    if (number < 1 || number > 64) {
        *__errno_location() = 22;
        return 0;
    }
    unsigned at = number - 1;
    *bit = 1ul << at % (8 * sizeof(long));
    return set + at / (8 * sizeof(long));
}

/* sigaddset: requires an initialised set in bounds. */
int sigaddset(unsigned long *set, int number)
{
    unsigned long bit;
    unsigned long *word = word_of(set, number, &bit);
    if (!word)
        return -1;
    *word |= bit;
    return 0;
}

/* sigdelset: requires an initialised set in bounds. */
int sigdelset(unsigned long *set, int number)
{
    unsigned long bit;
    unsigned long *word = word_of(set, number, &bit);
    if (!word)
        return -1;
    *word &= ~bit;
    return 0;
}

/* sigismember: requires an initialised set in bounds. */
int sigismember(const unsigned long *set, int number)
{
    unsigned long bit;
    unsigned long *word = word_of((unsigned long *)set, number, &bit);
    if (!word)
        return -1;
    return (*word & bit) != 0;
}
