// A singly linked list of any length is built at its head, walked, changed and freed.
//= memsafety: TRUE
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->value = 0;
        list = node;
    }
    for (struct node *at = list; at; at = at->next)
        at->value++;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
