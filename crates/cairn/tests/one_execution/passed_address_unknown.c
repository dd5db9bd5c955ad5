// A variable argument is a pointer and is taken as a number.
// UNKNOWN
#include <stdarg.h>

static int low(int count, ...)
{
    va_list list;
    va_start(list, count);
    unsigned long number = va_arg(list, unsigned long);
    va_end(list);
    return number >> 5 & 3;
}

int main(void)
{
    int array[2] = {0};
    return array[low(1, array) & 2];
}
