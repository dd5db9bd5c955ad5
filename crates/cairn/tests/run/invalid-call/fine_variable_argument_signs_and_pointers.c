// Variable arguments are taken as the other sign of their type, a char pointer as a void pointer, a struct as itself.
#include <stdarg.h>
#include <stdio.h>

struct pair {
    int first;
    double second;
};

struct nothing {};

static int all(int count, ...)
{
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    unsigned u = va_arg(list, unsigned);
    int i = va_arg(list, int);
    void *v = va_arg(list, void *);
    char *c = va_arg(list, char *);
    struct pair p = va_arg(list, struct pair);
    struct nothing n = va_arg(list, struct nothing);
    (void)n;
    enum { ONE = 1 } e = va_arg(list, __typeof__(e));
    double d = va_arg(list, double);
    va_end(list);
    int again = va_arg(copy, int);
    va_end(copy);
    return u == 5 && i == 6 && *(char *)v == 'v' && *c == 'c' && p.second == 2.5 && e == ONE && d == 0.5 && again == 5;
}

int main(void)
{
    char v = 'v', c = 'c';
    struct pair pair = {1, 2.5};
    struct nothing nothing;
    float half = 0.5f;
    short five = 5;
    return !all(8, five, 6u, &v, (void *)&c, pair, nothing, 1, half);
}
