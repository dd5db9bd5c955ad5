// The buffer is freed before the struct that holds it.
#include <stdlib.h>

struct holder { int n; int *data; };

int main(void) {
    struct holder *h = malloc(sizeof *h);
    if (!h) return 1;
    h->n = 3;
    h->data = malloc(h->n * sizeof *h->data);
    if (!h->data) return 1;
    h->data[2] = 1;
    free(h->data);
    free(h);
    return 0;
}
