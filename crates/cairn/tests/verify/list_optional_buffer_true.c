// Every node of a list owns a buffer or not.
//= memsafety: TRUE
//@ overrun = memsafety: FALSE(valid-deref)
//      The buffer that a node may own is written one byte too far.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; char *buffer; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->buffer = 0;
        if (__VERIFIER_nondet_int()) {
            node->buffer = malloc(10);
            node->buffer[9] = 0;
        }
        node->next = list;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        if (list->buffer) { list->buffer[0] = 1; free(list->buffer); }
//@ overrun: if (list->buffer) { list->buffer[10] = 1; free(list->buffer); }
        free(list);
        list = next;
    }
    return 0;
}
