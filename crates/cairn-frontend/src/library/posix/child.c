/* Other processes and signals: no execution meets them. */

int *__errno_location(void);
void __cairn_unsupported_another_process(void);
void __cairn_unsupported_a_signal(void);

/* alarm: no checks. */
unsigned int alarm(unsigned int seconds)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* execl: no checks. */
int execl(const char *path, const char *first, ...)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* execlp: like execl. */
int execlp(const char *path, const char *first, ...)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* execv: like execl. */
int execv(const char *path, char *const *arguments)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* execve: like execl. */
int execve(const char *path, char *const *arguments, char *const *environment)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* execvp: like execl. */
int execvp(const char *path, char *const *arguments)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* fork: no checks. */
int fork(void)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* kill: no checks. */
int kill(int process, int number)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* killpg: like kill. */
int killpg(int group, int number)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* pause: no checks. */
int pause(void)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* raise: no checks. */
int raise(int number)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* sigprocmask: no checks. */
int sigprocmask(int how, const void *set, void *before)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* sigsuspend: no checks. */
int sigsuspend(const void *mask)
{
    __cairn_unsupported_a_signal();
    return -1;
}

/* system: no checks. */
int system(const char *command)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* vfork: like fork. */
int vfork(void)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* wait: no checks. */
int wait(int *status)
{
    __cairn_unsupported_another_process();
    return -1;
}

/* waitpid: like wait. */
int waitpid(int process, int *status, int options)
{
    __cairn_unsupported_another_process();
    return -1;
}
