/* unistd.h and signal.h: descriptors may be files, and every operation on them may fail. Handlers of signals do not run. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
int __cairn_write(int fd, const void *data, size_t size);
void __cairn_nondet_bytes(void *to, size_t size);
void __cairn_one_answer(void);
void __cairn_unsupported_a_handler_for_abort(void);
int __cairn_any_int(void);
long __cairn_any_long(void);
void __cairn_assume(int condition);

/* Returns whether an operation fails, with any error number. */
static int cairn_fails(void)
{
    if (!__cairn_any_int())
        return 0;
    int number = __cairn_any_int();
    __cairn_assume(number > 0 && number < 134);
    *__errno_location() = number;
    return 1;
}

/* Returns a number from 0 up to a size. */
static long cairn_part(size_t size)
{
    long number = __cairn_any_long();
    __cairn_assume(number >= 0 && (size_t)number <= size);
    return number;
}

/* write: requires an initialised region in bounds. */
long write(int fd, const void *data, size_t size)
{
    __cairn_write(fd, data, size);
    return cairn_fails() ? -1 : cairn_part(size);
}

/* read: requires all written bytes in bounds. */
long read(int fd, void *to, size_t size)
{
    if (cairn_fails())
        return -1;
    /* A path of its own for the whole buffer, where an error is most likely. */
    long count = __cairn_any_int() ? (long)size : cairn_part(size);
    __cairn_nondet_bytes(to, count);
    return count;
}

/* open: requires a terminated path in bounds. */
int open(const char *path, int flags, ...)
{
    __cairn_string_length(path);
    if (cairn_fails())
        return -1;
    int fd = __cairn_any_int();
    /* The standard descriptors may be closed from the start. */
    __cairn_assume(fd >= 0);
    return fd;
}

/* close: no checks. Streams stay as they are: input and output may fail at any time. */
int close(int fd)
{
    return -cairn_fails();
}

/* access: requires a terminated path in bounds. */
int access(const char *path, int mode)
{
    __cairn_string_length(path);
    return -cairn_fails();
}

/* sched_yield: no checks. */
int sched_yield(void)
{
    return 0;
}

struct cairn_action {
    void (*handler)(int);
    unsigned long mask[128 / sizeof(long)];
    int flags;
    void (*restorer)(void);
};

static struct cairn_action cairn_actions[65];
static char cairn_is_known[65];

/* Returns whether a signal has an action. When the program starts, a signal may be ignored. */
static int cairn_has_action(int number)
{
    if (number < 1 || number > 64 || number == 32 || number == 33) {
        *__errno_location() = 22;
        return 0;
    }
    if (!cairn_is_known[number]) {
        cairn_is_known[number] = 1;
        if (__cairn_any_int())
            cairn_actions[number].handler = (void (*)(int))1;
    }
    return 1;
}

/* Notes that a handler may run at any time. A handler for SIGABRT is unsupported, since abort calls it. */
static void cairn_handles(int number, void (*handler)(int))
{
    if ((unsigned long)handler <= 1)
        return;
    __cairn_one_answer();
    if (number == 6)
        __cairn_unsupported_a_handler_for_abort();
}

/* signal: no checks. */
void (*signal(int number, void (*handler)(int)))(int)
{
    if (!cairn_has_action(number))
        return (void (*)(int))-1;
    if (number == 9 || number == 19) {
        *__errno_location() = 22;
        return (void (*)(int))-1;
    }
    cairn_handles(number, handler);
    void (*before)(int) = cairn_actions[number].handler;
    cairn_actions[number].handler = handler;
    return before;
}

/* sigaction: requires non-null pointers to be in bounds. */
int sigaction(int number, const struct cairn_action *action, struct cairn_action *before)
{
    if (!cairn_has_action(number))
        return -1;
    if (action && (number == 9 || number == 19)) {
        *__errno_location() = 22;
        return -1;
    }
    struct cairn_action old = cairn_actions[number];
    if (action) {
        cairn_handles(number, action->handler);
        cairn_actions[number] = *action;
    }
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

static unsigned long *cairn_word_of(unsigned long *set, int number, unsigned long *bit)
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
    unsigned long *word = cairn_word_of(set, number, &bit);
    if (!word)
        return -1;
    *word |= bit;
    return 0;
}

/* sigdelset: requires an initialised set in bounds. */
int sigdelset(unsigned long *set, int number)
{
    unsigned long bit;
    unsigned long *word = cairn_word_of(set, number, &bit);
    if (!word)
        return -1;
    *word &= ~bit;
    return 0;
}

/* sigismember: requires an initialised set in bounds. */
int sigismember(const unsigned long *set, int number)
{
    unsigned long bit;
    unsigned long *word = cairn_word_of((unsigned long *)set, number, &bit);
    if (!word)
        return -1;
    return (*word & bit) != 0;
}
