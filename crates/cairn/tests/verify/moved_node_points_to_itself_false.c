// After the second realloc, the link inside of the node points to the freed node.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
struct node { struct node *self; int value; };
int main(void) {
    struct node *node = NULL;
    for (int i = 0; i < 2; i++) {
        node = realloc(node, sizeof *node + 64 * i);
        if (!node)
            return 0;
        if (i > 0)
            node->self->value = 1;
        node->self = node;
        node->value = 0;
    }
    free(node);
    return 0;
}
