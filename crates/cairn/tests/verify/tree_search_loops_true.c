// A search tree: insertion and search by loops freed by recursion.
//= memsafety: TRUE
//@ larger_lost = memsafety: FALSE(valid-memtrack)
//      Subtrees of larger keys are not released.
//@ not_found = memsafety: FALSE(valid-deref)
//      A key that is not found is read all the same.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct tree { struct tree *smaller; int key; struct tree *larger; };
static void release(struct tree *t) { if (t) { release(t->smaller); release(t->larger); free(t); } }
//@ larger_lost: static void release(struct tree *t) { if (t) { release(t->smaller); free(t); } }
static struct tree *insert(struct tree *root, int key) {
    struct tree *new = malloc(sizeof *new);
    new->key = key;
    new->smaller = new->larger = 0;
    if (!root) return new;
    struct tree *at = root;
    for (;;) {
        if (key < at->key) {
            if (!at->smaller) {
                at->smaller = new;
                break;
            }
            at = at->smaller;
        } else {
            if (!at->larger) {
                at->larger = new;
                break;
            }
            at = at->larger;
        }
    }
    return root;
}
static int contains(struct tree *at, int key) {
    while (at && at->key != key) {
        if (key < at->key) at = at->smaller;
        else at = at->larger;
    }
    return at != 0;
//@ not_found: return at->key;
}
int main(void) {
    struct tree *root = 0;
    while (__VERIFIER_nondet_int()) root = insert(root, __VERIFIER_nondet_int());
    contains(root, 7);
    release(root);
    return 0;
}
