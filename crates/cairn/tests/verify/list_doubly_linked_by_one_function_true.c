// One function builds lists of whatever another one inserts; what it inserts may be such lists in turn. They have two nodes at least.
//= memsafety: TRUE
//@ one = memsafety: FALSE(valid-deref)
//      Only one node is certain, and the second is looked at.
//@ back = memsafety: FALSE(valid-deref)
//      The second node does not point back.
//@ inner = memsafety: FALSE(valid-memtrack)
//      The items of the first box are not freed.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct item { struct item *next, *prev; };
struct box { struct box *next, *prev; struct item *items; };
static struct item *new_item(void) {
    struct item *item = malloc(sizeof *item);
    item->next = NULL;
    item->prev = NULL;
    return item;
}
static void insert_item(void **list) {
    struct item *item = new_item(), *next = *list;
    item->next = next;
    if (next)
        next->prev = item;
    *list = item;
}
static void *create(void (*insert)(void **)) {
    void *list = NULL;
    insert(&list);
    insert(&list);
//@ one:
    while (__VERIFIER_nondet_bool())
        insert(&list);
    return list;
}
static void insert_box(void **list) {
    struct box *box = malloc(sizeof *box), *next = *list;
    box->next = next;
    box->prev = NULL;
    if (next)
        next->prev = box;
//@ back: ;
    box->items = create(insert_item);
    *list = box;
}
int main(void) {
    struct box *boxes = create(insert_box);
    if (boxes->next->prev != boxes)
        *(int *)0 = 1;
    struct box *first = boxes;
    while (boxes) {
        struct box *next = boxes->next;
        struct item *item = boxes->items;
//@ inner+ if (boxes != first)
        while (item) {
            struct item *after = item->next;
            free(item);
            item = after;
        }
        free(boxes);
        boxes = next;
    }
    return 0;
}
