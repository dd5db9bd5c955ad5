// A ring of nodes is cut open and freed.
#include <stdlib.h>

struct node { struct node *next; };

int main(void) {
    struct node *head = NULL, *tail = NULL;
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n) return 1;
        n->next = head;
        head = n;
        if (!tail) tail = n;
    }
    tail->next = head;
    struct node *n = head->next;
    head->next = NULL;
    while (n) {
        struct node *next = n->next;
        free(n);
        n = next;
    }
    return 0;
}
