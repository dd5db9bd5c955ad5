/* A list of numbers, from the tutorial (docs/tutorial.md). */
#include <stdlib.h>

#include "list.h"

int list_add(struct list *list, int value)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return -1;
    node->value = value;
    node->next = list->first;
    list->first = node;
    return 0;
}

int list_remove(struct list *list, int value)
{
    int removed = 0;
    struct node **link = &list->first;
    for (struct node *node = list->first; node; node = node->next) {
        if (node->value == value) {
            *link = node->next;
            free(node);
            removed++;
        } else {
            link = &node->next;
        }
    }
    return removed;
}

void list_clear(struct list *list)
{
    while (list->first) {
        struct node *node = list->first;
        list->first = node->next;
    }
}
