// Each node says how large its buffer is.
//= memsafety: TRUE
//@ beyond = memsafety: FALSE(valid-deref)
//      What lies behind the buffer of a node is read.
//@ other = memsafety: FALSE(valid-deref)
//      The buffer of the first node is taken to be as large as the second says.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
struct node { struct node *next; int length; int *buffer; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        int length = __VERIFIER_nondet_int();
        if (length < 1 || length > 100) length = 1;
        node->length = length;
        node->buffer = malloc(length * sizeof(int));
        if (!node->buffer) abort();
        for (int i = 0; i < length; i++) node->buffer[i] = i;
        node->next = list;
        list = node;
    }
    int sum = 0;
    for (struct node *node = list; node; node = node->next) sum = node->buffer[node->length - 1];
//@ beyond: for (struct node *node = list; node; node = node->next) sum = node->buffer[node->length];
//@ other: if (list && list->next) sum = list->buffer[list->next->length - 1];
    while (list) {
        struct node *next = list->next;
        free(list->buffer);
        free(list);
        list = next;
    }
}
