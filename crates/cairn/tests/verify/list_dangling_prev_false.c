// A node in the middle of a doubly linked list is freed, and its successor still points back to it.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next, *prev; int value; };
int main(void) {
    struct node *head = 0, *tail = 0;
    do {
        struct node *node = malloc(sizeof *node);
        node->next = 0;
        node->prev = tail;
        if (tail) tail->next = node; else head = node;
        tail = node;
    } while (__VERIFIER_nondet_int());
    struct node *second = head->next;
    if (second && second->next) {
        head->next = second->next;
        free(second);
    }
    for (struct node *at = tail; at; at = at->prev) at->value = 2;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
