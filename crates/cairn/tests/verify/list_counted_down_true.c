// As many nodes are freed as were counted.
//= memsafety: TRUE
//@ more = memsafety: FALSE(valid-deref)
//      One node more is freed than there are.
//@ less = memsafety: FALSE(valid-memtrack)
//      One is left.
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next; int data; };
int main(void) {
    unsigned count = __VERIFIER_nondet_uint();
    struct node *list = 0;
    for (unsigned i = 0; i < count; i++) {
//@ more: for (unsigned i = 1; i < count; i++) {
//@ less: for (unsigned i = 0; i <= count; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->data = 0;
        node->next = list;
        list = node;
    }
    while (count--) {
        struct node *node = list;
        list = list->next;
        free(node);
    }
    return 0;
}
