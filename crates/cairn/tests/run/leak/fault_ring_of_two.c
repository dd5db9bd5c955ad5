// Two nodes pointing to each other are dropped together.
#include <stdlib.h>

struct node { struct node *peer; int v; };

static struct node *make(int v) {
    struct node *n = malloc(sizeof *n); //~ leak
    if (!n) exit(1);
    n->v = v;
    n->peer = NULL;
    return n;
}

static struct node *head;

int main(void) {
    head = make(1);
    head->peer = make(2);
    head->peer->peer = head;
    head = NULL;
    return 0;
}
