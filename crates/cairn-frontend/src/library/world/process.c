/* The identity of the process: any that POSIX allows. */

int *__errno_location(void);
int __cairn_any_int(void);
unsigned int __cairn_any_id(void);
void __cairn_assume(int condition);

/* A property of the process, which is the same each time. */
struct cairn_fact { int is_known; unsigned int value; };

static int cairn_process(struct cairn_fact *fact)
{
    if (!fact->is_known) {
        int number = __cairn_any_int();
        __cairn_assume(number > 0);
        *fact = (struct cairn_fact){ 1, number };
    }
    return fact->value;
}

static unsigned int cairn_id(struct cairn_fact *fact)
{
    if (!fact->is_known)
        *fact = (struct cairn_fact){ 1, __cairn_any_id() };
    return fact->value;
}

/* isatty: no checks. */
int isatty(int fd)
{
    if (__cairn_any_int())
        return 1;
    int number = __cairn_any_int();
    __cairn_assume(number > 0 && number < 134);
    *__errno_location() = number;
    return 0;
}

static struct cairn_fact cairn_itself;

/* __cairn_forget_process: no checks. The process has become another one. */
void __cairn_forget_process(void)
{
    cairn_itself.is_known = 0;
}

/* getpid: no checks. */
int getpid(void)
{
    return cairn_process(&cairn_itself);
}

/* getppid: no checks. The parent of a process in a new name space is 0. */
int getppid(void)
{
    int number = __cairn_any_int();
    __cairn_assume(number >= 0);
    return number;
}

/* getpgrp: no checks. Other processes can change it. */
int getpgrp(void)
{
    int number = __cairn_any_int();
    __cairn_assume(number >= 0);
    return number;
}

/* getuid: no checks. */
unsigned int getuid(void)
{
    static struct cairn_fact fact;
    return cairn_id(&fact);
}

/* geteuid: no checks. */
unsigned int geteuid(void)
{
    static struct cairn_fact fact;
    return cairn_id(&fact);
}

/* getgid: no checks. */
unsigned int getgid(void)
{
    static struct cairn_fact fact;
    return cairn_id(&fact);
}

/* getegid: no checks. */
unsigned int getegid(void)
{
    static struct cairn_fact fact;
    return cairn_id(&fact);
}

/* getpagesize: no checks. A power of two from 4 KiB to 64 KiB. */
int getpagesize(void)
{
    static int shift;
    if (!shift) {
        shift = __cairn_any_int();
        __cairn_assume(shift >= 12 && shift <= 16);
    }
    return 1 << shift;
}
