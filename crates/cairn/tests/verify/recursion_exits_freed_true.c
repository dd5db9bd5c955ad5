// Nobody has anything when the program ends in the middle of a recursion.
//= memcleanup: TRUE
//@ unfreed = memcleanup: FALSE(valid-memcleanup)
//      The function that ends the program has nothing, but its caller's caller has: a list that is not freed.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static int down(int n) {
    if (n == 0)
        exit(1);
    return n < 0 ? 0 : down(n - 1);
}
static int middle(int n) { return n > 9 ? 0 : n > 5 ? middle(n + 1) : down(n); }
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        list = node;
    }
//@ unfreed+ middle(__VERIFIER_nondet_int());
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    middle(__VERIFIER_nondet_int());
//@ unfreed:
    return 0;
}
