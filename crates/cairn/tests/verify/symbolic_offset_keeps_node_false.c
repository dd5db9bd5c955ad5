// A pointer at a symbolic offset in an array leads to one node of a list. Folding must not make it lead to every node.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int *data; };
struct node *table[100];
static struct node *push(struct node *list) {
    struct node *node = malloc(sizeof *node);
    node->next = list;
    node->data = 0;
    return node;
}
int main(void) {
    unsigned i = __VERIFIER_nondet_int(), rounds = 0;
    int x = 0;
    if (i >= 100)
        return 0;
    struct node *list = push(push(0));
    table[i] = list->next;
    while (__VERIFIER_nondet_int())
        rounds++;
    table[i]->data = &x;
    if (rounds > 3)
        *list->data = 1;
    free(list->next);
    free(list);
    return 0;
}
