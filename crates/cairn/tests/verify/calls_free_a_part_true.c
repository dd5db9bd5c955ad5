// The callee frees what follows the node that it is passed; its caller keeps the nodes before it.
//= memsafety: TRUE
//@ used = memsafety: FALSE(valid-deref)
//      The callee frees what follows the node that it is passed, which its caller goes on to use.
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
        node->data = 0;
        list = node;
    }
    return list;
}

static void free_rest(struct node *node) {
    struct node *rest = node->next;
    node->next = 0;
    while (rest) {
        struct node *next = rest->next;
        free(rest);
        rest = next;
    }
}

int main(void) {
    for (int turn = 0; turn < 3; turn++) {
        struct node *list = build();
        if (!list)
            continue;
        struct node *second = list->next;
        if (second)
//@ used:
            free_rest(second);
//@ used:
//@ used+ free_rest(list);
        list->data = 1;
        if (second)
            second->data = 2;
        free_rest(list);
        free_rest(list);
        free(list);
    }
    return 0;
}
