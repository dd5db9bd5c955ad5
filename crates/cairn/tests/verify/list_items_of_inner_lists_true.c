// The inner nodes of each outer node have an item each, or the outer node has one and they have none.
//= memsafety: TRUE
//@ outer = memsafety: FALSE(valid-free)
//      The inner nodes of an outer node share an item, which is freed with each of them.
//@ all = memsafety: FALSE(valid-free)
//      All inner nodes of all outer nodes share an item, which is freed with each of them.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct inner { struct inner *next; int *item; };
struct outer { struct outer *next; struct inner *inner; int *item; };
static void *make(unsigned long size) {
    void *made = malloc(size);
    if (!made)
        abort();
    return made;
}
static struct outer *push(struct outer *list, int owned, int *shared, int *item) {
    struct outer *outer = make(sizeof *outer);
    outer->inner = NULL;
    outer->item = item;
    do {
        struct inner *inner = make(sizeof *inner);
        inner->item = owned ? make(sizeof(int)) : shared;
        inner->next = outer->inner;
        outer->inner = inner;
    } while (__VERIFIER_nondet_bool());
    outer->next = list;
    return outer;
}
static struct outer *with_items(void) {
    struct outer *list = NULL;
    while (__VERIFIER_nondet_bool())
        list = push(list, 1, NULL, __VERIFIER_nondet_bool() ? make(sizeof(int)) : NULL);
    return list;
}
static struct outer *with_one_item(void) {
    struct outer *list = NULL;
    int *one = make(sizeof *one);
//@ outer:
    do
//@ outer: while (__VERIFIER_nondet_bool())
        list = push(list, 0, NULL, list ? NULL : one);
//@ outer: list = push(list, 0, make(sizeof(int)), NULL);
//@ all: list = push(list, 0, one, NULL);
    while (__VERIFIER_nondet_bool());
//@ outer:
    return list;
}
int main(void) {
    struct outer *list = __VERIFIER_nondet_bool() ? with_one_item() : with_items();
    while (list) {
        struct outer *next = list->next;
        while (list->inner) {
            struct inner *inner = list->inner->next;
            free(list->inner->item);
            free(list->inner);
            list->inner = inner;
        }
        free(list->item);
        free(list);
        list = next;
    }
    return 0;
}
