// Nodes that lived together never lie at the same address, not even when one of them is dead: the walk ends where it began.
//= memsafety: TRUE
#include <stdlib.h>
struct node { struct node *next; int data; };

int main(void) {
    struct node *last = malloc(sizeof *last), *head = last;
    if (!last)
        abort();
    last->data = 0;
    for (int i = 1; i < 4; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        node->data = i;
        node->next = head;
        head = node;
    }
    last->next = head;
    struct node *at = head;
    do {
        struct node *next = at->next;
        free(at);
        at = next;
    } while (at != head);
    return 0;
}
