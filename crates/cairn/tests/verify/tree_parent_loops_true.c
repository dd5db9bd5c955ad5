// A binary tree with parent pointers: nodes go in at the ends of paths; it is walked up again, and freed leaf by leaf.
//= memsafety: TRUE
//@ wrong_parent = memsafety: FALSE(valid-memtrack)
//      Some nodes name the root as their parent, so that freeing them cuts off another subtree.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct tree { int key; struct tree *parent, *right, *left; };
static struct tree *node(struct tree *parent) {
    struct tree *node = malloc(sizeof *node);
    node->key = 1;
    node->parent = parent;
    node->left = node->right = 0;
    return node;
}
int main(void) {
    struct tree *root = node(0), *at;
    while (__VERIFIER_nondet_int()) {
        at = root;
        while (at->left && at->right) {
            if (__VERIFIER_nondet_int()) at = at->left;
            else at = at->right;
        }
        if (!at->left && __VERIFIER_nondet_int()) at->left = node(at);
        if (!at->right && __VERIFIER_nondet_int()) at->right = node(at);
//@ wrong_parent: if (!at->right && __VERIFIER_nondet_int()) at->right = node(root);
    }
    at = root;
    while (at->left || at->right) {
        if (at->left) at = at->left;
        else at = at->right;
    }
    while (at) { at->key = 2; at = at->parent; }
    at = root;
    while (at) {
        if (at->left) at = at->left;
        else if (at->right) at = at->right;
        else {
            struct tree *parent = at->parent;
            if (parent) {
                if (parent->left == at) parent->left = 0;
                else parent->right = 0;
            }
            free(at);
            at = parent;
        }
    }
    return 0;
}
