// A struct among the variable arguments is taken as its only member.
#include <stdarg.h>
#include <stdio.h>

struct box {
    int value;
};

static int open_box(int count, ...)
{
    va_list list;
    va_start(list, count);
    int value = va_arg(list, int); //~ invalid-call
    va_end(list);
    return value;
}

int main(void)
{
    struct box box = {3};
    printf("%d\n", open_box(1, box));
    return 0;
}
