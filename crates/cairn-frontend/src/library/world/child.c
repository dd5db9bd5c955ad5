/* Other processes and signals: a child may end in any way. No handler of a signal runs. */

typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
size_t __cairn_string_length(const char *text);
void __cairn_nondet_bytes(void *to, size_t size);
void __cairn_assuming_signal_handlers_do_not_run(void);
void __cairn_one_answer(void);
int __cairn_any_int(void);
unsigned int __cairn_any_seconds(void);
void __cairn_assume(int condition);
int waitpid(int process, int *status, int options);
void __cairn_forget_process(void);

static int cairn_refuses(void)
{
    if (!__cairn_any_int())
        return 0;
    int number = __cairn_any_int();
    __cairn_assume(number > 0 && number < 134);
    *__errno_location() = number;
    return 1;
}

/* Returns the number of a child, 0 in the child, or -1. */
static int cairn_child(void)
{
    if (cairn_refuses())
        return -1;
    int number = __cairn_any_int();
    __cairn_assume(number >= 0);
    return number;
}

/* The program does not go on if it is replaced. */
static int cairn_replaced(const char *path)
{
    __cairn_string_length(path);
    __cairn_assume(cairn_refuses());
    return -1;
}

/* alarm: no checks. No handler of a signal runs. */
unsigned int alarm(unsigned int seconds)
{
    __cairn_assuming_signal_handlers_do_not_run();
    return __cairn_any_seconds();
}

/* execl: requires a terminated path in bounds. Returns only if it fails. */
int execl(const char *path, const char *first, ...)
{
    return cairn_replaced(path);
}

/* execlp: like execl. */
int execlp(const char *path, const char *first, ...)
{
    return cairn_replaced(path);
}

/* execv: like execl. */
int execv(const char *path, char *const *arguments)
{
    return cairn_replaced(path);
}

/* execve: like execl. */
int execve(const char *path, char *const *arguments, char *const *environment)
{
    return cairn_replaced(path);
}

/* execvp: like execl. */
int execvp(const char *path, char *const *arguments)
{
    return cairn_replaced(path);
}

/* fork: no checks. The process is the parent or the child. */
int fork(void)
{
    int child = cairn_child();
    if (!child)
        __cairn_forget_process();
    return child;
}

/* kill: no checks. No handler of a signal runs. */
int kill(int process, int number)
{
    __cairn_assuming_signal_handlers_do_not_run();
    return -cairn_refuses();
}

/* killpg: like kill. */
int killpg(int group, int number)
{
    __cairn_assuming_signal_handlers_do_not_run();
    return -cairn_refuses();
}

/* pause: no checks. No handler of a signal runs. */
int pause(void)
{
    __cairn_assuming_signal_handlers_do_not_run();
    *__errno_location() = 4;
    return -1;
}

/* raise: no checks. No handler of a signal runs. */
int raise(int number)
{
    __cairn_one_answer();
    return cairn_refuses();
}

/* sigprocmask: requires readable and writable sets or null. */
int sigprocmask(int how, const void *set, void *before)
{
    if (set)
        *(const volatile unsigned long *)set;
    if (before)
        __cairn_nondet_bytes(before, 128);
    return -cairn_refuses();
}

/* sigsuspend: no checks. No handler of a signal runs. */
int sigsuspend(const void *mask)
{
    __cairn_assuming_signal_handlers_do_not_run();
    *__errno_location() = 4;
    return -1;
}

/* system: requires a terminated command in bounds or null. */
int system(const char *command)
{
    if (command)
        __cairn_string_length(command);
    return __cairn_any_int();
}

/* vfork: like fork. */
int vfork(void)
{
    return fork();
}

/* wait: requires a writable status or null. */
int wait(int *status)
{
    return waitpid(-1, status, 0);
}

/* waitpid: like wait. */
int waitpid(int process, int *status, int options)
{
    int child = cairn_child();
    if (child > 0 && status)
        *status = __cairn_any_int();
    return child;
}
