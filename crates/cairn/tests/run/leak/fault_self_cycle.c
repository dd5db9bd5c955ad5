// A node pointing to itself is dropped; its own pointer does not keep it reachable.
#include <stdlib.h>

struct node { struct node *next; int v; };
static struct node *ring;

int main(void) {
    ring = malloc(sizeof *ring); //~ leak
    if (!ring) return 1;
    ring->next = ring;
    ring->v = 1;
    ring = NULL;
    return 0;
}
