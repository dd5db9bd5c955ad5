// alloca is known without a declaration, and structs without bytes pass through variable arguments.
#include <stdarg.h>
#include <stdio.h>

typedef struct { char x[0]; } nothing;
typedef struct { char x[3]; } three;

static void take(int n, ...)
{
    va_list list;
    va_start(list, n);
    nothing a = va_arg(list, nothing);
    three b = va_arg(list, three);
    int c = va_arg(list, int);
    (void)a;
    printf("%d %d %d\n", n, b.x[2], c);
    va_end(list);
}

int main(void)
{
    int *p = alloca(2 * sizeof(int));
    p[1] = 8;
    nothing a;
    three b = { { 1, 2, 3 } };
    take(1, a, b, p[1]);
    return 0;
}
