// A leaf deep down in a tree is freed while it stays linked.
//= memsafety: FALSE(valid-deref)
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct tree { struct tree *left, *right; };
static void release(struct tree *t) { if (!t) return; release(t->left); release(t->right); free(t); }
int main(void) {
    struct tree *root = malloc(sizeof *root), *n;
    root->left = root->right = 0;
    while (__VERIFIER_nondet_int()) {
        int depth = 0;
        n = root;
        while (n->left && n->right) {
            if (__VERIFIER_nondet_int()) n = n->left;
            else n = n->right;
            depth++;
        }
        if (depth == 3 && n->left && !n->left->left && !n->left->right) { free(n->left); break; }
        if (!n->left && __VERIFIER_nondet_int()) {
            n->left = malloc(sizeof *n);
            n->left->left = n->left->right = 0;
        }
        if (!n->right && __VERIFIER_nondet_int()) {
            n->right = malloc(sizeof *n);
            n->right->left = n->right->right = 0;
        }
    }
    release(root);
    return 0;
}
