// Frees a list, saving each next pointer before the node is freed.
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
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
