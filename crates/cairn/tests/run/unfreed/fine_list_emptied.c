// A list hanging on a global head is emptied node by node.
#include <stdlib.h>

struct node { struct node *next; int v; };
static struct node *head;

int main(void) {
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n) return 1;
        n->v = i;
        n->next = head;
        head = n;
    }
    while (head) {
        struct node *n = head;
        head = head->next;
        free(n);
    }
    return 0;
}
