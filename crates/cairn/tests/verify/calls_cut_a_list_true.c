// The callee cuts a list in two and returns the rest.
//= memsafety: TRUE
//@ loses_the_rest = memsafety: FALSE(valid-memtrack)
//      The callee cuts a list in two, and one caller does not keep the rest.
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

static struct node *cut(struct node *list) {
    while (list && list->next && list->next->data != 1)
        list = list->next;
    struct node *rest = 0;
    if (list) {
        rest = list->next;
        list->next = 0;
    }
    return rest;
}

int main(void) {
    struct node *one = build();
    struct node *other = build();
    fill(one, 2);
    struct node *rest = cut(one);
    struct node *other_rest = cut(other);
//@ loses_the_rest: cut(other);
    clear(one);
    clear(rest);
    clear(other);
    clear(other_rest);
//@ loses_the_rest:
    return 0;
}
