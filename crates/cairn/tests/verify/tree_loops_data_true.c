// All nodes of a tree hold the same, wherever a walk down goes.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      A node at the third level of a tree holds something else.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
struct tree { struct tree *left; int key; struct tree *right; char *buf; };
static struct tree *node(void) { struct tree *n = malloc(sizeof *n); n->left = n->right = 0; n->key = 1; n->buf = 0; return n; }
static void release(struct tree *t) { if (!t) return; release(t->left); release(t->right); free(t->buf); free(t); }
int main(void) {
    struct tree *root = node(), *n;
    while (__VERIFIER_nondet_int()) {
        n = root;
        while (n->left && n->right) { if (__VERIFIER_nondet_int()) n = n->left; else n = n->right; }
        if (!n->left) n->left = node(); else if (!n->right) n->right = node();
    }
    n = root; while (n) { if (n->key != 1) reach_error(); if (__VERIFIER_nondet_int()) n = n->left; else n = n->right; } return 0;
//@ broken: while (__VERIFIER_nondet_int()) { n = root; int d = 0; while (n->left && n->right) { if (__VERIFIER_nondet_int()) n = n->left; else n = n->right; d++; } if (d == 2) n->key = 2; } n = root; while (n) { if (n->key != 1) reach_error(); if (__VERIFIER_nondet_int()) n = n->left; else n = n->right; } return 0;
}
