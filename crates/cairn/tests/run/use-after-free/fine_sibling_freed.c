// One of two nodes is freed; only the other one is used afterwards.
#include <stdio.h>
#include <stdlib.h>

struct tree { struct tree *left, *right; int key; };

static struct tree *leaf(int key) {
    struct tree *t = calloc(1, sizeof *t);
    if (!t) exit(1);
    t->key = key;
    return t;
}

int main(void) {
    struct tree root = { leaf(1), leaf(3), 2 };
    free(root.left);
    root.left = NULL;
    printf("%d\n", root.right->key + root.key);
    free(root.right);
    return 0;
}
