/* The environment of the process: empty. */

typedef __typeof__(sizeof 0) size_t;

size_t __cairn_string_length(const char *text);
void __cairn_one_answer(void);

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
