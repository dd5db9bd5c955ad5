// Pointers that are used after they were found to be null or after their object was freed.
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int checked_too_late(struct node *node)
{
    if (!node)
        return node->value; //~ null-deref
    return 0;
}

int not_checked(struct node *node)
{
    return node->next->next->value;
}

int used_after_free(struct node *node)
{
    free(node->next);
    return node->next->value; //~ use-after-free
}

int freed_last(struct node *node)
{
    int value = node->next->value;
    free(node->next);
    node->next = NULL;
    return value;
}

void freed_twice(struct node *node)
{
    if (node->value)
        free(node);
    free(node); //~ double-free
}

void freed_list(struct node *node)
{
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
}

void freed_list_too_early(struct node *node)
{
    for (; node; node = node->next) //~ use-after-free
        free(node);
}

int any_index(int index)
{
    int values[4] = {1, 2, 3, 4};
    return values[index];
}

int last_index(void)
{
    int values[4] = {0}, sum = 0;
    for (int i = 0; i <= 4; i++)
        sum += values[i]; //~ out-of-bounds
    return sum;
}

int same_pointer(struct node *a, struct node *b)
{
    if (a != b)
        return 0;
    free(a);
    return b->value; //~ use-after-free
}

int different_pointer(struct node *a, struct node *b)
{
    free(a);
    return b->value;
}
