// What the nodes hold is the same in both calls.
//= memsafety: TRUE
//@ differs = memsafety: FALSE(valid-deref)
//      The first call knows more of the nodes than the second.
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

static int differs(struct node *list) {
    int found = 0;
    while (list) {
        if (list->data != 2)
            found = 1;
        list = list->next;
    }
    return found;
}

int main(void) {
    struct node *one = build();
    struct node *other = build();
    fill(one, 2);
    fill(other, 2);
//@ differs:
    if (differs(one))
        *(int *)0 = 1;
    if (differs(other))
        *(int *)0 = 1;
    clear(one);
    clear(other);
    return 0;
}
