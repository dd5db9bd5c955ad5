// A tree is freed by way of a stack of its parts. An item of the stack is as large as a node of the tree, and leads to a tree of its own; where
// two items lead to the same one, it is freed twice.
//= memsafety: TRUE
//@ twice = memsafety: FALSE(valid-deref)
//@ forgotten = memsafety: FALSE(valid-memtrack)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right; };
struct item { struct item *next; struct tree *tree; };

static void *allocated(unsigned long size) {
    void *memory = malloc(size);
    if (!memory)
        exit(0);
    return memory;
}

static struct item *push(struct item *stack, struct tree *tree) {
    struct item *item = allocated(sizeof *item);
    item->next = stack;
    item->tree = tree;
    return item;
}

int main(void) {
    struct tree *root = allocated(sizeof *root);
    root->left = root->right = NULL;
    while (__VERIFIER_nondet_int() & 1) {
        struct tree *at = root;
        while (__VERIFIER_nondet_int() & 1) {
            if (__VERIFIER_nondet_int() & 1) {
                if (!at->left)
                    break;
                at = at->left;
            } else {
                if (!at->right)
                    break;
                at = at->right;
            }
        }
        struct tree *leaf = allocated(sizeof *leaf);
        leaf->left = leaf->right = NULL;
        if (!at->left)
            at->left = leaf;
        else if (!at->right)
            at->right = leaf;
        else
            free(leaf);
    }
    struct item *stack = push(NULL, root);
    while (stack) {
        struct item *item = stack;
        struct tree *tree = item->tree;
        stack = item->next;
        free(item);
        if (tree->left)
            stack = push(stack, tree->left);
        if (tree->right)
            //@ forgotten: if (tree->right && !tree->left)
            stack = push(stack, tree->right);
        //@ twice+ if (tree->right && tree->left && tree->right->left) stack = push(stack, tree->right);
        free(tree);
    }
    return 0;
}
