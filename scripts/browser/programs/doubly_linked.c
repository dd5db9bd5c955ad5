/* A doubly linked list. Removing a node forgets the link back to it. */
#include <stdlib.h>

struct item {
    int value;
    struct item *next, *prev;
};

struct list {
    struct item *first, *last;
};

static void push(struct list *list, int value)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        exit(1);
    item->value = value;
    item->next = NULL;
    item->prev = list->last;
    if (list->last)
        list->last->next = item;
    else
        list->first = item;
    list->last = item;
}

static void remove_item(struct list *list, struct item *item)
{
    if (item->prev)
        item->prev->next = item->next;
    else
        list->first = item->next;
    if (!item->next)
        list->last = item->prev;
    free(item);
}

int main(void)
{
    struct list list = { 0 };
    int sum = 0;
    for (int i = 0; i < 4; i++)
        push(&list, i);
    remove_item(&list, list.first->next);
    for (struct item *item = list.last; item; item = item->prev)
        sum += item->value;
    while (list.first)
        remove_item(&list, list.first);
    return sum;
}
