// The callee keeps the last node of what it is passed in a global, which the caller uses before the list is freed.
//= memsafety: TRUE
//@ freed = memsafety: FALSE(valid-deref)
//      The callee keeps the last node of what it is passed in a global, which the caller uses after that list was freed.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *kept;
static struct node *build(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        node->data = 0;
        list = node;
    }
    return list;
}

static void keep_last(struct node *list) {
    kept = list;
    while (kept && kept->next)
        kept = kept->next;
}

static void destroy(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *one = build();
    struct node *two = build();
    keep_last(one);
    if (kept)
        kept->data = 1;
    keep_last(two);
    if (kept)
        kept->data = 2;
    keep_last(one);
//@ freed: keep_last(two);
    destroy(two);
    if (kept)
        kept->data = 3;
    destroy(one);
    return 0;
}
