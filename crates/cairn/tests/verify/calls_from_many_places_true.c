// The same helpers are called on three lists.
//= memsafety: TRUE
//@ one_list_lost = memsafety: FALSE(valid-memtrack)
//      The same helpers are called on three lists, but one of them is sometimes not freed.
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

static struct node *reverse(struct node *list) {
    struct node *result = 0;
    while (list) {
        struct node *next = list->next;
        list->next = result;
        result = list;
        list = next;
    }
    return result;
}

int main(void) {
    struct node *one = build();
    struct node *other = build();
    struct node *third = build();
    fill(one, 1);
    fill(other, 2);
    fill(third, 1);
    one = reverse(one);
    other = reverse(other);
    clear(third);
    clear(one);
//@ one_list_lost:
    clear(other);
//@ one_list_lost+ if (!third)
//@ one_list_lost+ clear(one);
    return 0;
}
