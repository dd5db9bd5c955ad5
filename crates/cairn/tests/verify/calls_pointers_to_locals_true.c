// The callee changes the variables of its caller.
//= memsafety: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static void push(struct node **at) {
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = *at;
        *at = node;
    }
}

static void clear(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *one = 0;
    struct node *other = 0;
    push(&one);
    push(&other);
    push(&one);
    clear(one);
    clear(other);
    return 0;
}
