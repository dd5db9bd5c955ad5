/* The environment of the process: each variable is unset, or any string. A variable has the same value each time. */

typedef __typeof__(sizeof 0) size_t;

struct cairn_variable { struct cairn_variable *next; char *name, *value; };

size_t __cairn_string_length(const char *text);
void *__cairn_map_memory(size_t size);
void __cairn_copy_bytes(void *to, const void *from, size_t size);
void __cairn_nondet_bytes(void *to, size_t size);
int __cairn_any_int(void);
unsigned int __cairn_any_length(void);
void __cairn_assume(int condition);
void *__cairn_heap_alloc(size_t size);
int *__errno_location(void);

static struct cairn_variable *cairn_environment;

/* Returns memory of the system that holds a copy of a text. */
static char *cairn_keep(const char *text)
{
    size_t size = __cairn_string_length(text) + 1;
    char *copy = __cairn_map_memory(size);
    __cairn_copy_bytes(copy, text, size);
    return copy;
}

/* Returns any string. */
static char *cairn_text(void)
{
    size_t length = __cairn_any_length();
    char *text = __cairn_map_memory(length + 1);
    __cairn_nondet_bytes(text, length);
    __cairn_assume(__cairn_string_length(text) == length);
    return text;
}

static int cairn_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* getenv: requires a terminated name in bounds. */
char *getenv(const char *name)
{
    __cairn_string_length(name);
    for (struct cairn_variable *known = cairn_environment; known; known = known->next)
        if (cairn_same(known->name, name))
            return known->value;
    struct cairn_variable *fresh = __cairn_map_memory(sizeof *fresh);
    fresh->name = cairn_keep(name);
    fresh->value = __cairn_any_int() ? cairn_text() : 0;
    fresh->next = cairn_environment;
    cairn_environment = fresh;
    return fresh->value;
}

/* secure_getenv: like getenv, or null in a privileged process. */
char *secure_getenv(const char *name)
{
    char *value = getenv(name);
    return __cairn_any_int() ? value : 0;
}

/* getcwd: requires `size` writable bytes, or null for new memory. Returns null, or any path. */
char *getcwd(char *to, size_t size)
{
    size_t length = __cairn_any_length();
    if (__cairn_any_int() || (size ? length >= size : to != 0)) {
        int number = __cairn_any_int();
        __cairn_assume(number > 0 && number < 134);
        *__errno_location() = number;
        return 0;
    }
    if (!to && !(to = __cairn_heap_alloc(size ? size : length + 1)))
        return 0;
    __cairn_nondet_bytes(to, length);
    to[length] = 0;
    __cairn_assume(__cairn_string_length(to) == length);
    return to;
}
