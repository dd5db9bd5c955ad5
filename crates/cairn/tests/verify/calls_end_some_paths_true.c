// The callee ends the program where the list has a node that it does not like: behind it there is none.
//= memsafety: TRUE
//@ too_few = memsafety: FALSE(valid-deref)
//      The callee ends the program where the list has a node that it does not like, but likes one more than it should.
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

static void check(struct node *list, int least) {
    for (; list; list = list->next)
        if (list->data < least)
            abort();
}

static void destroy(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

static void fill(struct node *list) {
    for (; list; list = list->next)
        list->data = __VERIFIER_nondet_int();
}

int main(void) {
    int room[4];
    for (int turn = 0; turn < 4; turn++)
        room[turn] = 0;
    struct node *list = build();
    fill(list);
    check(list, 0);
    check(list, 0);
    if (list && list->data < 4)
        room[list->data] = 1;
    fill(list);
    fill(list);
    check(list, 1);
//@ too_few: check(list, 0);
    if (list && list->data < 5)
        room[list->data - 1] = 2;
    destroy(list);
    return room[0];
}
