// For a while only a pointer into the middle of the block exists; the start is computed back.
#include <stddef.h>
#include <stdlib.h>

struct block { long header; int body[4]; };

static int *get(void) {
    struct block *b = malloc(sizeof *b);
    if (!b) exit(1);
    b->header = 1;
    b->body[0] = 2;
    return b->body;
}

static void put(int *body) {
    free((char *)body - offsetof(struct block, body));
}

int main(void) {
    int *p = get();
    int r = p[0];
    put(p);
    return r - 2;
}
