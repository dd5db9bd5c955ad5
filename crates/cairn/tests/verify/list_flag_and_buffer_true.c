// Whether a node has a buffer is told by a flag; without one the pointer was never set.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      The buffers of some nodes with a flag are lost.
//@ lies = memsafety: FALSE(valid-memtrack)
//      The flag is not always set where there is a buffer.
//@ asked_wrong = memsafety: FALSE(valid-deref)
//      Nodes without a buffer are written to.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next; int has; char *buffer; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->has = 0;
        if (__VERIFIER_nondet_int()) {
            node->buffer = malloc(10);
            if (!node->buffer) abort();
            node->has = 1;
//@ lies: node->has = __VERIFIER_nondet_int() ? 1 : 0;
        }
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        if (node->has) node->buffer[9] = 'x';
//@ asked_wrong: if (!node->has) node->buffer[9] = 'x';
    while (list) {
        struct node *next = list->next;
        if (list->has) free(list->buffer);
//@ lost: if (list->has && __VERIFIER_nondet_int()) free(list->buffer);
        free(list);
        list = next;
    }
}
