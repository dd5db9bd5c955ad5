// A search tree that is changed by way of pointers to its links.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      What hangs on the left is lost with a node.
//@ kept = memsafety: FALSE(valid-deref)
//      A node that is freed stays in the tree.
//@ rightmost = memsafety: FALSE(valid-deref)
//      The next key is looked for where there may be no node.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct tree { int key; struct tree *left, *right; };
static void insert(struct tree **link, int key) {
    while (*link) {
        if (key == (*link)->key) return;
        link = key < (*link)->key ? &(*link)->left : &(*link)->right;
    }
    *link = malloc(sizeof **link);
    if (!*link) abort();
    (*link)->key = key;
    (*link)->left = (*link)->right = 0;
}
static void erase(struct tree **link, int key) {
    while (*link && (*link)->key != key) link = key < (*link)->key ? &(*link)->left : &(*link)->right;
    struct tree *node = *link;
    if (!node) return;
    if (!node->left) *link = node->right;
//@ rightmost: if (0) ;
    else if (!node->right) *link = node->left;
//@ lost: else if (!node->right) *link = 0;
//@ rightmost: else if (0) ;
    else {
        struct tree **least = &node->right;
        while ((*least)->left) least = &(*least)->left;
        struct tree *next = *least;
        node->key = next->key;
        *least = next->right;
//@ kept: ;
        node = next;
    }
    free(node);
}
static void destroy(struct tree *tree) {
    if (!tree) return;
    destroy(tree->left);
    destroy(tree->right);
    free(tree);
}
int main(void) {
    struct tree *tree = 0;
    while (__VERIFIER_nondet_int())
        if (__VERIFIER_nondet_int()) insert(&tree, __VERIFIER_nondet_int());
        else erase(&tree, __VERIFIER_nondet_int());
    destroy(tree);
    return 0;
}
