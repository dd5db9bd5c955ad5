// The place of a new node in a search tree is found by a pointer that runs behind another one.
//= memsafety: TRUE
//@ other_side = memsafety: FALSE(valid-memtrack)
//      The node is put where another one may be.
//@ no_root = memsafety: FALSE(valid-deref)
//      An empty tree has no node to put it under.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct tree { int key; struct tree *left, *right; };
static struct tree *root;
static void insert(int key) {
    struct tree *parent = 0, *node = root;
    while (node) {
        parent = node;
        if (key < node->key) node = node->left;
        else node = node->right;
    }
    node = malloc(sizeof *node);
    if (!node) abort();
    node->key = key;
    node->left = node->right = 0;
    if (!parent) root = node;
//@ no_root: if (0) ;
    else if (key < parent->key) parent->left = node;
//@ other_side: else if (key <= parent->key) parent->left = node;
    else parent->right = node;
}
static void destroy(struct tree *tree) {
    if (!tree) return;
    destroy(tree->left);
    destroy(tree->right);
    free(tree);
}
int main(void) {
    while (__VERIFIER_nondet_int()) insert(__VERIFIER_nondet_int());
    destroy(root);
    return 0;
}
