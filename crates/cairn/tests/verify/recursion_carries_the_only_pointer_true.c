// A function that calls itself carries the only pointer to a node along, and may end the program.
//= memsafety: TRUE
//@ dropped = memsafety: FALSE(valid-memtrack)
//      The pointer is overwritten before the program ends.
//@ parent = memsafety: FALSE(valid-memtrack)
//      The only pointer to the node above is overwritten before the program ends.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct node { struct node *up, *down; int data; };
static struct node *global;
static struct node *make(struct node *up) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->up = up;
    node->down = NULL;
    node->data = 0;
    return node;
}
static struct node *take(void) {
    struct node *node = global;
    global = NULL;
    return node;
}
static void carry(int depth, struct node *kept) {
    if (depth < 6)
        return;
    if (__VERIFIER_nondet_bool()) {
//@ dropped+ kept = NULL;
        exit(0);
    }
    global = kept;
    kept = NULL;
    carry(depth, take());
}
static void descend(int depth, struct node *node) {
    if (depth < 6)
        return;
    if (__VERIFIER_nondet_bool()) {
//@ parent+ node->up = NULL;
        exit(0);
    }
    node->down = make(node);
    global = node->down;
    node = NULL;
    descend(depth, global);
}
int main(void) {
    struct node *node = make(NULL);
    for (int depth = 1; depth < 6; depth++) {
        carry(depth, node);
        descend(depth, node);
    }
    free(node);
    node = NULL;
    if (__VERIFIER_nondet_bool())
        carry(7, make(NULL));
    else
        descend(7, make(NULL));
    return 0;
}
