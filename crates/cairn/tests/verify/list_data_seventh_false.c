// The counter that every node keeps is 7 in one of them.
//= unreach: FALSE(unreach-call)
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
        if (node->data == 7)
            reach_error();
    return 0;
}
