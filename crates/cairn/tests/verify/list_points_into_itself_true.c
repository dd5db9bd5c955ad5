// Every node has its data in itself or in memory of its own, and a pointer to it either way.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//      Every node has its data in itself or in memory of its own; the latter is not freed.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; int *data; int here; };

int main(void) {
    struct node *list = malloc(sizeof *list);
    if (!list) abort();
    list->next = list->prev = 0; list->data = &list->here;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->prev = 0;
        node->next = list;
        if (list)
            list->prev = node;
        list = node;
        node->data = &node->here;
        if (__VERIFIER_nondet_int()) {
            node->data = malloc(sizeof *node->data);
            if (!node->data)
                abort();
        }
        *node->data = 1;
    }
    while (list) {
        struct node *node = list;
        list = node->next;
        if (node->data != &node->here)
            free(node->data);
//@ lost: node->here = 0;
        free(node);
    }
    return 0;
}
