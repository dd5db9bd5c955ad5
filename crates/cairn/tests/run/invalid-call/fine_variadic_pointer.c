// A variadic function is called through a pointer of its own variadic type.
#include <stdarg.h>
#include <stdio.h>

static int sum(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int s = 0;
    while (n-- > 0)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}

int main(void) {
    int (*f)(int, ...) = sum;
    int (*out)(const char *, ...) = printf;
    out("%d %d\n", f(3, 1, 2, 3), f(0));
    return 0;
}
