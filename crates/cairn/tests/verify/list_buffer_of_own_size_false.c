// What lies behind the buffer of a node is read.
//= memsafety: FALSE(valid-deref)
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
    for (struct node *node = list; node; node = node->next) sum = node->buffer[node->length];
    while (list) {
        struct node *next = list->next;
        free(list->buffer);
        free(list);
        list = next;
    }
}
