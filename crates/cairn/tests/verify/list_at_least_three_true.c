// The list has three nodes at least, and these are used without a look.
//= memsafety: TRUE
//@ two = memsafety: FALSE(valid-deref)
//      Two nodes are not three.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node { struct node *next; int value; };

int main(void)
{
    struct node *first = NULL;
    int count = 0;
    do {
        struct node *node = malloc(sizeof *node);
        if (!node)
            exit(1);
        node->next = first;
        node->value = 0;
        first = node;
        count++;
    } while (count < 3 || __VERIFIER_nondet_int());
//@ two: } while (count < 2 || __VERIFIER_nondet_int());
    first->next->next->value = 1;
    struct node *second = first->next;
    free(first);
    second->next->value = 2;
    while (second) {
        struct node *next = second->next;
        free(second);
        second = next;
    }
    return 0;
}
