/* The identity of the process: any that POSIX allows. */

int *__errno_location(void);
int __cairn_any_int(void);
unsigned int __cairn_any_id(void);
void __cairn_assume(int condition);

static int cairn_process(void)
{
    int number = __cairn_any_int();
    __cairn_assume(number > 0);
    return number;
}

/* isatty: no checks. */
int isatty(int fd)
{
    if (__cairn_any_int())
        return 1;
    *__errno_location() = 25;
    return 0;
}

/* getpid: no checks. */
int getpid(void)
{
    return cairn_process();
}

/* getppid: no checks. The parent of a process in a new name space is 0. */
int getppid(void)
{
    int number = __cairn_any_int();
    __cairn_assume(number >= 0);
    return number;
}

/* getpgrp: no checks. */
int getpgrp(void)
{
    return cairn_process();
}

/* getuid: no checks. */
unsigned int getuid(void)
{
    return __cairn_any_id();
}

/* geteuid: no checks. */
unsigned int geteuid(void)
{
    return __cairn_any_id();
}

/* getgid: no checks. */
unsigned int getgid(void)
{
    return __cairn_any_id();
}

/* getegid: no checks. */
unsigned int getegid(void)
{
    return __cairn_any_id();
}

/* getpagesize: no checks. A power of two from 4 KiB to 64 KiB. */
int getpagesize(void)
{
    int shift = __cairn_any_int();
    __cairn_assume(shift >= 12 && shift <= 16);
    return 1 << shift;
}
