// The struct that held the only pointer to a buffer is freed, but not the buffer.
#include <stdlib.h>

struct holder { int n; int *data; };

static struct holder *make(int n) {
    struct holder *h = malloc(sizeof *h);
    if (!h) exit(1);
    h->n = n;
    h->data = malloc(n * sizeof *h->data); //~ leak
    if (!h->data) exit(1);
    h->data[0] = n;
    return h;
}

int main(void) {
    struct holder *h = make(6);
    int first = h->data[0];
    free(h);
    return first - 6;
}
