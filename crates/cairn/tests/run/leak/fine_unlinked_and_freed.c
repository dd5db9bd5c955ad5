// The unlinked node is freed, as are the others.
#include <stdlib.h>

struct node { struct node *next; int v; };

static void remove_value(struct node **at, int v) {
    while (*at) {
        struct node *n = *at;
        if (v < 0 || n->v == v) {
            *at = n->next;
            free(n);
        } else
            at = &n->next;
    }
}

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n) return 1;
        n->next = head;
        n->v = i;
        head = n;
    }
    remove_value(&head, 2);
    remove_value(&head, -1);
    return head != NULL;
}
