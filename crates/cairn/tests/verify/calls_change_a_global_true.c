// The callee adds to a global list, which the caller takes away in between.
//= memsafety: TRUE
//@ that_stays = memsafety: FALSE(valid-deref)
//      The callee adds to a global list, whose first nodes the caller frees twice.
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *head;

static void push(void) {
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = head;
        head = node;
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
    push();
    struct node *taken = head;
    head = 0;
//@ that_stays:
    push();
    clear(head);
    clear(taken);
    return 0;
}
