// An int among the variable arguments is taken as a long long.
#include <stdarg.h>
#include <stdio.h>

static int positive(const char *name, ...)
{
    va_list list;
    va_start(list, name);
    int answer = va_arg(list, long long) > 0; //~ invalid-call
    va_end(list);
    return answer;
}

int main(void)
{
    printf("%d\n", positive("seven", 7));
    return 0;
}
