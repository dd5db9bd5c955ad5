// Each node says how large its buffer is; of size 0 it has none.
//= memsafety: TRUE
//@ beyond = memsafety: FALSE(valid-deref)
//      One byte too many is written.
//@ lost = memsafety: FALSE(valid-memtrack)
//      Buffers of one byte are lost.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next; unsigned length; char *buffer; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->length = __VERIFIER_nondet_uint();
        if (node->length > 1000) node->length = 1000;
        node->buffer = 0;
        if (node->length > 0) {
            node->buffer = malloc(node->length);
            if (!node->buffer) abort();
        }
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node; node = node->next)
        for (unsigned i = 0; i < node->length; i++) node->buffer[i] = 'x';
//@ beyond: for (unsigned i = 0; i <= node->length; i++) node->buffer[i] = 'x';
    while (list) {
        struct node *next = list->next;
        if (list->length) free(list->buffer);
//@ lost: if (list->length > 1) free(list->buffer);
        free(list);
        list = next;
    }
}
