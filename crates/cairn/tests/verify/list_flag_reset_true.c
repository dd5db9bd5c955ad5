// Some nodes free their buffers early: a flag says so, the pointer stays as it was.
//= memsafety: TRUE
//@ forgotten = memsafety: FALSE(valid-free)
//      The flag of some of them stays.
//@ lost = memsafety: FALSE(valid-memtrack)
//      Some are not freed, although the flag says so.
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
        node->buffer = malloc(10);
        if (!node->buffer) abort();
        node->has = 1;
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        if (__VERIFIER_nondet_int()) {
            free(node->buffer);
//@ lost: if (__VERIFIER_nondet_int()) free(node->buffer);
            node->has = 0;
//@ forgotten: if (__VERIFIER_nondet_int()) node->has = 0;
        }
    while (list) {
        struct node *next = list->next;
        if (list->has) free(list->buffer);
        free(list);
        list = next;
    }
}
