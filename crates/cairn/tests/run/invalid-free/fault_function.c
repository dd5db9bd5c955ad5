// Frees a pointer to a function.
#include <stdlib.h>

static int twice(int x) { return 2 * x; }

union any { int (*fn)(int); void *data; };

int main(void) {
    union any a;
    a.fn = twice;
    int r = a.fn(2);
    free(a.data); //~ invalid-free
    return r - 4;
}
