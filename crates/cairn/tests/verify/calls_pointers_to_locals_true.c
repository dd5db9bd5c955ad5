// The callee changes the variables of its caller.
//= memsafety: TRUE
//@ mixed_up = memsafety: FALSE(valid-memtrack)
//      The callee changes a variable of its caller, which frees another one.
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
//@ mixed_up+ if (!one)
//@ mixed_up+ clear(other);
    clear(one);
    clear(other);
//@ mixed_up:
    return 0;
}
