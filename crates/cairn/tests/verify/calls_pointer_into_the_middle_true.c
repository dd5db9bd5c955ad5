// The caller keeps a pointer into the list that it passes.
//= memsafety: TRUE
//@ freed = memsafety: FALSE(valid-deref)
//      The callee frees the node that the caller still points to.
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

static void clear(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

static void fill(struct node *list, int value) {
    for (; list; list = list->next)
        list->data = value;
}

int main(void) {
    struct node *list = build();
    struct node *middle = list;
    while (middle && middle->next && __VERIFIER_nondet_int())
        middle = middle->next;
    fill(list, 1);
    if (middle)
//@ freed: clear(list);
        middle->data = 7;
//@ freed:
    fill(list, 2);
//@ freed:
    if (middle)
        middle->data = 8;
    clear(list);
//@ freed: clear(0);
    return 0;
}
