// A singly linked list of any length is built at its head, walked, changed and freed.
//= memsafety: TRUE
//@ first_node_lost = memsafety: FALSE(valid-memtrack)
//      A list of any length loses its first node.
//@ lost_node = memsafety: FALSE(valid-memtrack)
//      The node in front of the removed one is forgotten.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
//@ lost_node: for (int i = 0; i < 4 && __VERIFIER_nondet_int(); i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->value = 0;
//@ first_node_lost:
//@ lost_node: node->value = i;
        list = node;
    }
    for (struct node *at = list; at; at = at->next)
//@ first_node_lost: if (list) list = list->next;
//@ lost_node: if (list && list->next && list->value == 2)
        at->value++;
//@ first_node_lost:
//@ lost_node: list = list->next;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
