// A tree whose nodes know their parents grows by recursion and is freed from leaf to leaf.
//= memsafety: TRUE
//@ orphans = memsafety: FALSE(valid-memtrack)
//      Nodes do not know their parents, so these are lost.
//@ stale = memsafety: FALSE(valid-deref)
//      A parent still leads to a right child that is gone.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct tree { struct tree *left, *right, *parent; };
static struct tree *grow(struct tree *parent) {
    if (__VERIFIER_nondet_int()) return 0;
    struct tree *node = malloc(sizeof *node);
    if (!node) abort();
    node->parent = parent;
//@ orphans: node->parent = 0;
    node->left = grow(node);
    node->right = grow(node);
    return node;
}
int main(void) {
    struct tree *node = grow(0);
    while (node) {
        if (node->left) node = node->left;
        else if (node->right) node = node->right;
        else {
            struct tree *parent = node->parent;
            if (parent && parent->left == node) parent->left = 0;
            else if (parent) parent->right = 0;
//@ stale: ;
            free(node);
            node = parent;
        }
    }
    return 0;
}
