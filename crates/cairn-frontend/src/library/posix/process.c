/* The identity of the process, as on some machine. */

int *__errno_location(void);
void __cairn_one_answer(void);

/* isatty: no checks. Nothing is a terminal. */
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

/* getgid: no checks. */
unsigned int getgid(void)
{
    __cairn_one_answer();
    return 1000;
}

/* getegid: no checks. */
unsigned int getegid(void)
{
    __cairn_one_answer();
    return 1000;
}

/* getpgrp: no checks. */
int getpgrp(void)
{
    __cairn_one_answer();
    return 4242;
}

/* __cairn_forget_process: no checks. The process has become another one. */
void __cairn_forget_process(void)
{
}
