// A function that calls itself frees a list with its items, and later another list without items.
//= memsafety: TRUE
//@ shared = memsafety: FALSE(valid-free)
//      The nodes of the other list share an item.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct node { struct node *next; int *item; };
static void *make(unsigned long size) {
    void *made = malloc(size);
    if (!made)
        abort();
    return made;
}
static struct node *build(int owned, int *shared) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_bool()) {
        struct node *node = make(sizeof *node);
        node->item = owned ? make(sizeof(int)) : shared;
        node->next = list;
        list = node;
    }
    return list;
}
static void drop(struct node *list) {
    if (!list)
        return;
    drop(list->next);
    free(list->item);
    free(list);
}
int main(void) {
    drop(build(1, NULL));
    int *item = NULL;
//@ shared: int *item = make(sizeof *item);
    struct node *list = build(0, item);
    if (!list)
        free(item);
    drop(list);
    return 0;
}
