// A long long among the variable arguments is taken as an int.
#include <stdarg.h>
#include <stdio.h>

static int first(int count, ...)
{
    va_list list;
    int value;
    va_start(list, count);
    value = va_arg(list, int); //~ invalid-call
    va_end(list);
    return value;
}

int main(void)
{
    printf("%d\n", first(1, 7LL));
    return 0;
}
