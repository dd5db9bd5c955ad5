// A self referring node is still reachable from a global and never freed.
#include <stdlib.h>

struct node { struct node *self; double d; };
static struct { int n; struct node *root; } state;

int main(void) {
    state.root = malloc(sizeof *state.root); //~ unfreed
    if (!state.root) return 1;
    state.root->self = state.root;
    state.root->d = 1.0;
    state.n = 1;
    return 0;
}
