// The stages of a ring are in order.
//= unreach: TRUE
//@ freed_twice = memsafety: FALSE(valid-free)
//      The head of the ring is freed once more.
//@ lost = memsafety: FALSE(valid-memtrack)
//      Going back misses the last node.
//@ broken = unreach: FALSE(unreach-call)
//      Stages do change on the way.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    struct node *prev;
    int stage;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = head;
    head->prev = head;
    head->stage = 0;
    struct node *last = head;
    int stage = 1;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        last->next = node;
        node->prev = last;
        node->next = head;
        head->prev = node;
//@ lost: head->prev = last;
        last = node;
        node->stage = stage;
        if (__VERIFIER_nondet_int() && stage < 3)
            stage = stage == 1 ? 2 : 3;
    }
    struct node *at = head->next;
    while (at->stage != 0) {
        if (at->next->stage != 0 && at->stage > at->next->stage)
//@ broken: if (at->next->stage != 0 && at->stage + 1 < at->next->stage + (at->stage == 2))
            reach_error();
        at = at->next;
    }
    at = head->prev;
    while (at->stage != 0) {
        struct node *before = at->prev;
        free(at);
        at = before;
    }
    free(head);
//@ freed_twice+ if (stage == 3)
//@ freed_twice+ free(head);
    return 0;
}
