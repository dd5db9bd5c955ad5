// The callee may end the program, when the other list is still there.
//= memcleanup: FALSE(valid-memcleanup)
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void exit(int);

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

static void stop(struct node *list) {
    while (list) {
        if (list->data == 3) {
            clear(list);
            exit(1);
        }
        list = list->next;
    }
}

int main(void) {
    struct node *one = build();
    struct node *other = build();
    fill(one, __VERIFIER_nondet_int());
    stop(one);
    stop(other);
    clear(one);
    clear(other);
    return 0;
}
