// A circular list of any length is built, walked around and taken apart.
//= memsafety: TRUE
//@ freed_twice = memsafety: FALSE(valid-free)
//      A circular list is taken apart, and its head is freed with its last node and once more.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = head;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = head->next;
        head->next = node;
    }
    struct node *at = head;
    do {
        at->value = 1;
        at = at->next;
    } while (at != head);
    while (head->next != head) {
        struct node *next = head->next->next;
        free(head->next);
        head->next = next;
    }
//@ freed_twice+ free(head->next);
    free(head);
    return 0;
}
