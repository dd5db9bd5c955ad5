// Inner lists own their items: each node has two, and the fourth outer node leads to a list with the first in all nodes and no second.
//= memsafety: TRUE
//@ kinds = memsafety: FALSE(valid-free)
//      The nodes of one inner list share what those of all others own, and own what those of all others share.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct inner { struct inner *next; int *first, *second; };
struct outer { struct outer *next; struct inner *inner; };
static void *make(unsigned long size) {
    void *made = malloc(size);
    if (!made)
        abort();
    return made;
}
static struct inner *one(int *shared) {
    struct inner *list = NULL;
    do {
        struct inner *inner = make(sizeof *inner);
        inner->first = make(sizeof(int));
        inner->second = shared;
        inner->next = list;
        list = inner;
    } while (__VERIFIER_nondet_bool());
    return list;
}
static struct inner *other(int *shared) {
    struct inner *list = NULL;
    do {
        struct inner *inner = make(sizeof *inner);
        inner->first = shared;
        inner->second = make(sizeof(int));
        inner->next = list;
        list = inner;
    } while (__VERIFIER_nondet_bool());
    return list;
}
int main(void) {
    struct outer *list = NULL;
    int count = 0;
    while (__VERIFIER_nondet_bool()) {
        struct outer *outer = make(sizeof *outer);
        int *shared = make(sizeof *shared);
        outer->inner = one(shared);
//@ kinds: outer->inner = count == 3 ? other(shared) : one(shared);
        if (count < 4)
            count++;
        outer->next = list;
        list = outer;
    }
    while (list) {
        struct outer *next = list->next;
        while (list->inner) {
            struct inner *inner = list->inner->next;
            free(list->inner->first);
            if (!inner)
                free(list->inner->second);
            free(list->inner);
            list->inner = inner;
        }
        free(list);
        list = next;
    }
    return 0;
}
