// What a node owns owns nothing.
//= unreach: TRUE
//@ deeper = unreach: FALSE(unreach-call)
//      What a node owns leads on to the list.
//@ kept = memsafety: FALSE(valid-memtrack)
//      What the second node owns is not freed.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    struct node *next;
    struct node *inner;
};

int main(void) {
    struct node *list = 0;
    do {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->inner = 0;
        if (__VERIFIER_nondet_int()) {
            node->inner = malloc(sizeof *node);
            node->inner->next = 0;
            node->inner->inner = 0;
//@ deeper: node->inner->inner = list;
        }
        list = node;
    } while (__VERIFIER_nondet_int());
    while (list) {
        struct node *next = list->next;
        if (list->inner) {
//@ kept: if (list->inner && !(next && !next->next)) {
            if (list->inner->inner)
                reach_error();
            free(list->inner);
        }
        free(list);
        list = next;
    }
    return 0;
}
