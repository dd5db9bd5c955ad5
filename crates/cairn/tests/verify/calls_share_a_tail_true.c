// Two lists end in the same nodes.
//= memsafety: TRUE
//@ freed_twice = memsafety: FALSE(valid-deref)
//      Two lists end in the same nodes, which are freed with each of them.
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
    struct node *tail = build();
    struct node *one = malloc(sizeof *one);
    struct node *other = malloc(sizeof *other);
    if (!one || !other)
        abort();
    one->next = tail;
    other->next = tail;
    fill(one, 1);
    fill(other, 2);
    fill(tail, 3);
//@ freed_twice: clear(one);
    free(one);
//@ freed_twice:
    clear(other);
    return 0;
}
