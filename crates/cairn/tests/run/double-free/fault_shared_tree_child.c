// Both children of a tree are the same node, so it is freed twice.
#include <stdlib.h>

struct tree { struct tree *kid[2]; };

static void destroy(struct tree *t) {
    for (int i = 0; i < 2; i++)
        free(t->kid[i]); //~ double-free
    free(t);
}

int main(void) {
    struct tree *t = malloc(sizeof *t);
    struct tree *leaf = malloc(sizeof *leaf);
    if (!t || !leaf) return 1;
    leaf->kid[0] = leaf->kid[1] = NULL;
    t->kid[0] = leaf;
    t->kid[1] = leaf;
    destroy(t);
    return 0;
}
