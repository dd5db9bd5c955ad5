// The nodes of a tree have an item each, or none of them has one.
//= memsafety: TRUE
//@ each = memsafety: FALSE(valid-free)
//      The nodes share an item, which is freed with each of them.
//@ root = memsafety: FALSE(valid-free)
//      The root has an item of its own, and all nodes below it share one, which is freed with each of them.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct tree { struct tree *left, *right; int *item; };
static void *make(unsigned long size) {
    void *made = malloc(size);
    if (!made)
        abort();
    return made;
}
static struct tree *grow(int owned, int *shared) {
    if (!__VERIFIER_nondet_bool())
        return NULL;
    struct tree *tree = make(sizeof *tree);
    tree->item = owned ? make(sizeof(int)) : shared;
    tree->left = grow(owned, shared);
    tree->right = grow(owned, shared);
    return tree;
}
static void drop(struct tree *tree) {
    if (tree) {
        drop(tree->left);
        drop(tree->right);
        free(tree->item);
        free(tree);
    }
}
int main(void) {
    struct tree *tree;
    if (__VERIFIER_nondet_bool()) {
        int *shared = NULL;
//@ each: int *shared = make(sizeof *shared);
//@ root: int *shared = make(sizeof *shared);
        tree = grow(0, shared);
//@ root: tree = make(sizeof *tree); tree->item = make(sizeof(int)); tree->right = NULL; tree->left = grow(0, shared);
        if (!tree)
//@ root: if (!tree->left)
            free(shared);
    } else
        tree = grow(1, NULL);
    drop(tree);
    return 0;
}
