// A function calls itself by a pointer in a global, and frees the nodes on the way back.
//= memsafety: TRUE
//@ too_early = memsafety: FALSE(valid-deref)
//      A function calls itself by a pointer in a global; a node is freed where the one before it is still to be.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

typedef void visitor(struct node *node);
static void visit_rest(struct node *node);
static visitor *visit = visit_rest;
static void visit_rest(struct node *node) {
    if (!node)
        return;
    node->data = 1;
    visit(node->next);
//@ too_early+ if (node->next)
//@ too_early+ node->next->data = 2;
    free(node);
}

static struct node *build(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        list = node;
    }
    return list;
}

int main(void) {
    struct node *one = build();
    struct node *two = build();
    visit(one);
    visit(two);
    return 0;
}
