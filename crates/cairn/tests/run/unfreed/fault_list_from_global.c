// The rest of a list hanging on a global head is not freed.
#include <stdlib.h>

struct node { struct node *next; int v; };
static struct node *head;

static void push(int v) {
    struct node *n = malloc(sizeof *n); //~ unfreed
    if (!n) exit(1);
    n->v = v;
    n->next = head;
    head = n;
}

static void pop(void) {
    struct node *n = head;
    head = n->next;
    free(n);
}

int main(void) {
    for (int i = 0; i < 3; i++)
        push(i);
    pop();
    pop();
    return 0;
}
