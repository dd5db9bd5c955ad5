// A list that knows how many nodes it has is walked and freed by that number alone.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      A list that knows how many nodes it has is walked by one more.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int data; struct node *prev, *next; };
struct list { struct node *head, *tail; unsigned count; };

int main(void) {
    struct list list = { 0, 0, 0 };
    while (__VERIFIER_nondet_int() && list.count < 1000000) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = 0;
        node->prev = list.tail;
        node->data = 1;
        if (list.tail)
            list.tail->next = node;
        else
            list.head = node;
        list.tail = node;
        list.count++;
    }
    struct node *at = list.head;
    for (unsigned i = 0; i < list.count; i++) {
//@ broken: for (unsigned i = 0; i <= list.count; i++) {
        at->data++;
        at = at->next;
    }
    while (list.count > 0) {
        struct node *next = list.head->next;
        free(list.head);
        list.head = next;
        list.count--;
    }
    return 0;
}
