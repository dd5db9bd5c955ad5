// Unlinks a node from a list without freeing it.
#include <stdlib.h>

struct node { struct node *next; int v; };

int main(void) {
    struct node *a = malloc(sizeof *a);
    struct node *b = malloc(sizeof *b); //~ leak
    struct node *c = malloc(sizeof *c);
    if (!a || !b || !c) return 1;
    a->next = b;
    b->next = c;
    c->next = NULL;
    b = NULL;
    a->next = a->next->next;
    while (a) {
        struct node *next = a->next;
        free(a);
        a = next;
    }
    return 0;
}
