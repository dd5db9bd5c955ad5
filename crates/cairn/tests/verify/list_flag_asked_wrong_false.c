// Nodes without a buffer are written to.
//= memsafety: FALSE(valid-deref)
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
        }
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        if (!node->has) node->buffer[9] = 'x';
    while (list) {
        struct node *next = list->next;
        if (list->has) free(list->buffer);
        free(list);
        list = next;
    }
}
