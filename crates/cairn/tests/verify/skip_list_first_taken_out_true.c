// The first node behind the head of a skip list is freed, and the upper level is walked afterwards.
//= memsafety: TRUE
//@ kept = memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node { struct node *next, *up; int mark; };

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = head->up = 0;
    head->mark = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->mark = 1;
        n->next = head->next;
        head->next = n;
        n->up = 0;
        if (__VERIFIER_nondet_int()) {
            n->up = head->up;
            head->up = n;
        }
    }
    struct node *first = head->next;
    if (first) {
        if (head->up == first)
            head->up = first->up;
        //@ kept: ;
        head->next = first->next;
        free(first);
    }
    int sum = 0;
    for (struct node *n = head->up; n; n = n->up)
        sum += n->mark;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
