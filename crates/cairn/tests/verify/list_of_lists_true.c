// A list of lists, both of any length, is built, walked and freed.
//= memsafety: TRUE
//@ item_lost = memsafety: FALSE(valid-memtrack)
//      The items of the nodes of a list of lists are freed, except for the first one of each.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item { struct item *next; int value; };
struct node { struct node *next; struct item *items; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->items = 0;
        while (__VERIFIER_nondet_int()) {
            struct item *item = malloc(sizeof *item);
            item->next = node->items;
            node->items = item;
        }
        node->next = list;
        list = node;
    }
    for (struct node *at = list; at; at = at->next)
        for (struct item *item = at->items; item; item = item->next)
            item->value = 1;
    while (list) {
        struct node *next = list->next;
        while (list->items) {
//@ item_lost: while (list->items && list->items->next) {
            struct item *item = list->items->next;
            free(list->items);
            list->items = item;
        }
        free(list);
        list = next;
    }
    return 0;
}
