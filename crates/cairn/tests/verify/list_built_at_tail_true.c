// A list of any length is built at its end with a tail pointer, then freed.
//= memsafety: TRUE
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = 0;
    struct node *tail = head;
    while (__VERIFIER_nondet_int()) {
        tail->next = malloc(sizeof *tail);
        tail = tail->next;
        tail->next = 0;
        tail->value = 3;
    }
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
