// Two parents share a node, which is freed through the first parent only.
#include <stdlib.h>

struct tree { struct tree *kid[2]; };

static void destroy(struct tree *t) {
    free(t->kid[0]);
    if (t->kid[1] != t->kid[0])
        free(t->kid[1]);
    free(t);
}

int main(void) {
    struct tree *t = malloc(sizeof *t);
    struct tree *leaf = malloc(sizeof *leaf);
    if (!t || !leaf) return 1;
    t->kid[0] = t->kid[1] = leaf;
    destroy(t);
    return 0;
}
