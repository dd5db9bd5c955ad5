// A doubly linked list of any length, walked in both directions and freed.
//= memsafety: TRUE
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; int value; };
int main(void) {
    struct node *head = 0, *tail = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = 0;
        node->prev = tail;
        if (tail) tail->next = node; else head = node;
        tail = node;
    }
    for (struct node *at = head; at; at = at->next) at->value = 1;
    for (struct node *at = tail; at; at = at->prev) at->value = 2;
    while (head) {
        struct node *next = head->next;
        if (next) next->prev = 0;
        free(head);
        head = next;
    }
    return 0;
}
