// What every node holds came from a counter that is never negative.
//= unreach: TRUE
//@ seventh = unreach: FALSE(unreach-call)
//      The counter that every node keeps is 7 in one of them.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node *head = NULL;
    int count = 0;
    while (__VERIFIER_nondet_bool() && count < 1000) {
        struct node *node = malloc(sizeof *node);
        node->data = count++;
        node->next = head;
        head = node;
    }
    for (struct node *node = head; node; node = node->next)
        if (node->data < 0)
//@ seventh: if (node->data == 7)
            reach_error();
    return 0;
}
