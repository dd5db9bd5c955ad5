// Writes one element past the flexible array member that was allocated.
#include <stdlib.h>

struct vec { int len; int data[]; };

int main(void) {
    int n = 6;
    struct vec *v = malloc(sizeof *v + n * sizeof v->data[0]);
    if (!v) return 1;
    v->len = n;
    int i = 0;
loop:
    v->data[i] = i; //~ out-of-bounds
    if (i++ < v->len)
        goto loop;
    free(v);
    return 0;
}
