// Functions are passed that change or free the nodes.
//= memsafety: TRUE
//@ too_late = memsafety: FALSE(valid-deref)
//      A function is passed that changes nodes which another one has freed.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *build(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        node->data = 1;
        list = node;
    }
    return list;
}

static void each(struct node *list, void (*visit)(struct node *)) {
    while (list) {
        struct node *next = list->next;
        visit(list);
        list = next;
    }
}

static void mark(struct node *node) {
    node->data = 1;
}

static void drop(struct node *node) {
    free(node);
}

int main(void) {
    struct node *one = build();
    struct node *other = build();
    each(one, mark);
//@ too_late+ each(other, drop);
//@ too_late+ each(one, drop);
    each(other, mark);
    each(one, drop);
//@ too_late:
    each(other, drop);
//@ too_late:
    return 0;
}
