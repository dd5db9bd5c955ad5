// A loop in loops works on a part of a node that holds the only pointer to another node. It may end the program.
//= memsafety: TRUE
//@ cut = memsafety: FALSE(valid-memtrack)
//      The pointer is overwritten by way of a global before the program ends.
//@ freed = memsafety: FALSE(valid-memtrack)
//      The node is freed by way of a global before the program ends.
//@ handed = memsafety: FALSE(valid-memtrack)
//      A function that the loop calls overwrites the pointer and ends the program.
//@ copied = memsafety: FALSE(valid-memtrack)
//      The pointer was copied to another cell before, which is overwritten, too.
//@ late = memsafety: FALSE(valid-memtrack)
//      The pointer is overwritten, and the loop goes on.
//@ forever = memsafety: UNKNOWN
//      The pointer is overwritten, and the program runs for ever.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct node { struct node *next, *copy; int data; };
static struct node *global;
static struct node *make(struct node *next) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->next = next;
    node->copy = NULL;
    node->data = 0;
    return node;
}
static void leave(void) {
//@ handed+ global->next = NULL;
    exit(0);
}
int main(void) {
    while (__VERIFIER_nondet_bool())
        while (__VERIFIER_nondet_bool()) {
            struct node *node = make(make(NULL));
            global = node;
//@ copied+ node->copy = node->next; node->next = NULL;
            while (__VERIFIER_nondet_bool()) {
                node->data = !node->data;
                if (__VERIFIER_nondet_bool()) {
//@ cut+ global->next = NULL;
//@ freed+ free(global); global = NULL; node = NULL;
//@ copied+ global->copy = NULL;
//@ late+ global->next = NULL; if (0)
//@ forever+ global->next = NULL; for (;;);
                    leave();
                }
            }
            global = NULL;
//@ copied+ node->next = node->copy;
            free(node->next);
            free(node);
        }
    return 0;
}
