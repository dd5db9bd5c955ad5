// A bounded recursion builds and frees a tree.
//= memsafety: TRUE
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right; };
static struct tree *build(int depth) {
    if (depth == 0 || __VERIFIER_nondet_int())
        return 0;
    struct tree *tree = malloc(sizeof *tree);
    tree->left = build(depth - 1);
    tree->right = build(depth - 1);
    return tree;
}
static void drop(struct tree *tree) {
    if (!tree)
        return;
    drop(tree->left);
    drop(tree->right);
    free(tree);
}
int main(void) {
    drop(build(2));
    return 0;
}
