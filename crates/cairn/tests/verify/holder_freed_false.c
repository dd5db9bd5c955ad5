// A dangling pointer to the holder does not keep what the holder pointed to.
//= memsafety: FALSE(valid-memtrack)
#include <stdlib.h>
struct node { struct node *next; };
static struct node *kept;
int main(void) {
    struct node *node = malloc(sizeof *node);
    node->next = malloc(sizeof *node);
    node->next->next = 0;
    kept = node;
    free(node);
    return 0;
}
