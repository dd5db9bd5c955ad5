// No number is below 0, so the list is empty there, but that is no reason to end.
//= unreach: FALSE(unreach-call)
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

struct node {
    struct node *next;
    int data;
};

int main(void) {
    unsigned bound = __VERIFIER_nondet_uint();
    struct node *head = NULL;
    while (__VERIFIER_nondet_bool()) {
        unsigned value = __VERIFIER_nondet_uint();
        if (value < bound) {
            struct node *node = malloc(sizeof *node);
            node->data = (int)value;
            node->next = head;
            head = node;
        }
    }
    if (bound == 0)
        reach_error();
    return 0;
}
