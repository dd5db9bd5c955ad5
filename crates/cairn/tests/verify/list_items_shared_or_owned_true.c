// The nodes of a list have an item each, or all of them have the same one, which is freed once.
//= memsafety: TRUE
//@ each = memsafety: FALSE(valid-free)
//      The item that all nodes share is freed with each of them, like those that belong to one node.
//@ late = memsafety: FALSE(valid-deref)
//      The shared item is read after it was freed with the node before.
//@ both = memsafety: FALSE(valid-free)
//      The nodes of a list that goes both ways share an item.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct node { struct node *next, *prev; int *item; };
static void *make(unsigned long size) {
    void *made = malloc(size);
    if (!made)
        abort();
    return made;
}
static struct node *push(struct node *list, int *item) {
    struct node *node = make(sizeof *node);
    node->item = item;
    node->next = list;
    node->prev = NULL;
//@ both+ if (list) list->prev = node;
    return node;
}
int main(void) {
    struct node *list = NULL;
    int *shared = NULL;
    if (__VERIFIER_nondet_bool()) {
        while (__VERIFIER_nondet_bool()) {
            int *item = make(sizeof *item);
            *item = 1;
            list = push(list, item);
        }
    } else {
        shared = make(sizeof *shared);
        *shared = 1;
        do
            list = push(list, shared);
        while (__VERIFIER_nondet_bool());
    }
    while (list) {
        struct node *next = list->next;
        if (list->item != shared)
//@ each:
//@ late: if (*list->item)
//@ both:
            free(list->item);
        free(list);
        list = next;
    }
    free(shared);
//@ each:
//@ late:
//@ both:
    return 0;
}
