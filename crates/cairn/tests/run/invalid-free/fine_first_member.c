// The address of the first member is the address of the block itself.
#include <stdlib.h>

struct base { int kind; };
struct item { struct base base; double d; };

static struct base *make(void) {
    struct item *it = malloc(sizeof *it);
    if (!it) exit(1);
    it->base.kind = 3;
    it->d = 1.5;
    return &it->base;
}

int main(void) {
    struct base *b = make();
    int k = b->kind;
    free(b);
    return k - 3;
}
