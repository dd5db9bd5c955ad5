// A tree is freed with a stack of nodes; items of the stack are as large as nodes of the tree.
//= memsafety: TRUE
//@ left_only = memsafety: FALSE(valid-memtrack)
//      What hangs on the right is lost.
//@ both_left = memsafety: FALSE(valid-deref)
//      The left child is put on the stack twice.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct tree { struct tree *left, *right; };
struct item { struct item *below; struct tree *node; };
static struct tree *leaf(void) {
    struct tree *node = malloc(sizeof *node);
    if (!node) abort();
    node->left = node->right = 0;
    return node;
}
static struct item *push(struct item *stack, struct tree *node) {
    struct item *item = malloc(sizeof *item);
    if (!item) abort();
    item->below = stack;
    item->node = node;
    return item;
}
int main(void) {
    struct tree *root = leaf();
    while (__VERIFIER_nondet_int()) {
        struct tree *node = root;
        for (;;)
            if (__VERIFIER_nondet_int()) {
                if (!node->left) {
                    node->left = leaf();
                    break;
                }
                node = node->left;
            } else {
                if (!node->right) {
                    node->right = leaf();
                    break;
                }
                node = node->right;
            }
    }
    struct item *stack = push(0, root);
    while (stack) {
        struct item *item = stack;
        struct tree *node = item->node;
        stack = item->below;
        free(item);
        if (node->left) stack = push(stack, node->left);
        if (node->right) stack = push(stack, node->right);
//@ left_only: ;
//@ both_left: if (node->right) stack = push(stack, node->left);
        free(node);
    }
    return 0;
}
