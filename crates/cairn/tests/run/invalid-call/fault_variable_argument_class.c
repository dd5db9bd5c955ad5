// A double among the variable arguments is taken as a long long of the same size.
#include <stdarg.h>
#include <stdio.h>

static long long total(int count, ...)
{
    va_list list;
    long long sum = 0;
    va_start(list, count);
    while (count--)
        sum += va_arg(list, long long); //~ invalid-call
    va_end(list);
    return sum;
}

int main(void)
{
    printf("%d\n", total(2, 1LL, 2.0) != 0);
    return 0;
}
