// A function that reads variable arguments which its callers have passed: their types count, wherever the function is analysed.
//= memsafety: TRUE
//@ type = memsafety: UNKNOWN
//@ outer = memsafety: UNKNOWN
#include <stdarg.h>
static int table[4];
static int sum(int n, va_list *list) {
    if (!n)
        return 0;
    int k = va_arg(*list, int);
    table[k & 3] = 1;
    //@ outer: table[k] = 1;
    return sum(n - 1, list);
}
static int read(int n, ...) {
    va_list list;
    va_start(list, n);
    int r = sum(n, &list);
    va_end(list);
    return r;
}
int main(void) {
    return read(2, 0, 3);
    //@ type: return read(2, 0, 3.0);
    //@ outer: return read(2, 0, 0.0);
}
