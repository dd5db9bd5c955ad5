// Both links of each node lead to the same next node. Such a list below the root of a tree is not a tree.
//= memsafety: FALSE(valid-deref)
//@ apart = memsafety: TRUE
//      Only one link leads to the next node.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right; };
static struct tree *leaf(void) {
    struct tree *t = malloc(sizeof *t);
    t->left = t->right = 0;
    return t;
}
static struct tree *build(void) {
    struct tree *t = leaf();
    if (__VERIFIER_nondet_int()) { t->left = build(); t->right = build(); }
    return t;
}
static void destroy(struct tree *t) {
    if (!t) return;
    destroy(t->left);
    destroy(t->right);
    free(t);
}
int main(void) {
    struct tree *t = build();
    destroy(t);
    t = 0;
    while (__VERIFIER_nondet_int()) {
        struct tree *more = malloc(sizeof *more);
        more->left = more->right = t;
//@ apart: more->left = t; more->right = 0;
        t = more;
    }
    struct tree *root = leaf();
    root->left = t;
    while (__VERIFIER_nondet_int()) {}
    destroy(root);
    return 0;
}
