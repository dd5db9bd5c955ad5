// The function that ends the program has nothing, but its caller's caller has: a list that is not freed.
//= memcleanup: FALSE(valid-memcleanup)
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
    middle(__VERIFIER_nondet_int());
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
