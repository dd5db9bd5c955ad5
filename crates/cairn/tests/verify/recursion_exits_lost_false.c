// What is lost in the call that ends the program is lost.
//= memsafety: FALSE(valid-memtrack)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static void drop(struct node *node) {
    if (!node)
        return;
    if (__VERIFIER_nondet_int()) {
        struct node *rest = node->next;
        node->next = 0;
        rest = 0;
        exit(rest != 0);
    }
    drop(node->next);
    free(node);
}
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->next = list;
        list = node;
    }
    drop(list);
    return 0;
}
