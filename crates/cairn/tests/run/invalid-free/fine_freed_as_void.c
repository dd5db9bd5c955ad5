// Frees through pointers of other types and through a function pointer.
#include <stdlib.h>

int main(void) {
    void (*release)(void *) = free;
    double *d = malloc(2 * sizeof *d);
    const char *c = calloc(3, 1);
    if (!d || !c) return 1;
    d[1] = c[2];
    void *v = d;
    release(v);
    release((void *)c);
    return 0;
}
