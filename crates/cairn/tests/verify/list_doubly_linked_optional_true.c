// The nodes of a doubly linked list have a buffer where a flag says so.
//= memsafety: TRUE
//@ wrong = memsafety: FALSE(valid-deref)
//      Nodes without a buffer are written to.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next, *prev; int has; char *buffer; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->has = __VERIFIER_nondet_int() != 0;
        node->buffer = 0;
        if (node->has) {
            node->buffer = malloc(8);
            if (!node->buffer) abort();
        }
        node->prev = 0;
        node->next = list;
        if (list) list->prev = node;
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        if (node->has) node->buffer[0] = 1;
//@ wrong: if (node->next || node->has) node->buffer[0] = 1;
    while (list) {
        struct node *next = list->next;
        if (list->has) free(list->buffer);
        free(list);
        list = next;
    }
}
