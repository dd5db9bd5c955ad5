// As many lists are freed as are passed.
//= memsafety: TRUE
//@ not_counted = memsafety: FALSE(valid-memtrack)
//      A list is passed that is not counted.
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

static void destroy_all(int count, ...) {
    __builtin_va_list lists;
    __builtin_va_start(lists, count);
    for (int i = 0; i < count; i++) {
        struct node *list = __builtin_va_arg(lists, struct node *);
        while (list) {
            struct node *next = list->next;
            free(list);
            list = next;
        }
    }
    __builtin_va_end(lists);
}

int main(void) {
    struct node *one = build();
    struct node *two = build();
    destroy_all(2, one, two);
//@ not_counted: destroy_all(1, one, two);
    struct node *three = build();
    destroy_all(1, three);
    destroy_all(0);
    return 0;
}
