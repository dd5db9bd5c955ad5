// A binary tree built and taken down in loops.
//= memsafety: TRUE
//@ dangling_child = memsafety: FALSE(valid-deref)
//      A leaf is freed, but its parent's right link still leads there.
//@ right_subtree_lost = memsafety: FALSE(valid-memtrack)
//      A tree is freed along its left links only.
//@ subtree_overwritten = memsafety: FALSE(valid-memtrack)
//      A leaf takes the place of a subtree, which is lost.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct tree { struct tree *left, *right; };
int main(void) {
    struct tree *root = malloc(sizeof *root), *n;
    root->left = root->right = 0;
    while (__VERIFIER_nondet_int()) {
        n = root;
        while (n->left && n->right) {
            if (__VERIFIER_nondet_int()) n = n->left;
            else n = n->right;
        }
        if (!n->left && __VERIFIER_nondet_int()) {
            n->left = malloc(sizeof *n);
            n->left->left = n->left->right = 0;
        }
        if (!n->right && __VERIFIER_nondet_int()) {
//@ subtree_overwritten: if (__VERIFIER_nondet_int()) {
            n->right = malloc(sizeof *n);
            n->right->left = n->right->right = 0;
        }
    }
    while (root) {
        struct tree *parent = 0;
        n = root;
        while (n->left || n->right) {
//@ right_subtree_lost: while (n->left) {
            parent = n;
            n = n->left ? n->left : n->right;
//@ right_subtree_lost: n = n->left;
        }
        if (!parent) root = 0;
        else if (parent->left == n) parent->left = 0;
        else parent->right = 0;
//@ dangling_child: else ;
        free(n);
    }
    return 0;
}
