// Frees a list and fetches the next pointer from the node just freed.
#include <stdlib.h>

struct node { struct node *next; int v; };

static struct node *push(struct node *head, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) exit(1);
    n->next = head;
    n->v = v;
    return n;
}

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 3; i++)
        head = push(head, i);
    while (head) {
        free(head);
        head = head->next; //~ use-after-free
    }
    return 0;
}
