// Lists and trees: links between nodes of one type fold into one requirement.
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *name;
};

struct stack {
    struct node *top;
    size_t count;
};

//= requires: `list` is null or a list of `struct node`, linked by `next`, which was allocated
//= requires: in each node, `list->name` is null or allocated memory
//= takes ownership of `list`: frees its nodes
//= frees `list->name`
void release(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list->name);
        free(list);
        list = next;
    }
}

//= requires: `list` is null or a list of `struct node`, linked by `next`
//= requires: in each node, `list->name` is a string
//= requires: `name` is a string
//= returns null or a node of `list`
struct node *find(struct node *list, const char *name)
{
    for (; list; list = list->next)
        if (!strcmp(list->name, name))
            return list;
    return NULL;
}

//= requires: `stack` points to a `struct stack`
//= requires: `item` is null or points to a `struct node`
//= takes ownership of `item`: stores it in `stack->top`
//= returns 0 or -1
int push(struct stack *stack, struct node *item)
{
    if (!item)
        return -1;
    item->next = stack->top;
    stack->top = item;
    stack->count++;
    return 0;
}

//= requires: `stack` points to a `struct stack`
//= requires: `stack->top` is null or points to a `struct node`
//= returns null or `stack->top`
struct node *pop(struct stack *stack)
{
    struct node *item = stack->top;
    if (item) {
        stack->top = item->next;
        stack->count--;
    }
    return item;
}

struct tree {
    struct tree *left, *right;
    int key;
};

//= requires: `t` is null or a tree of `const struct tree`, linked by `left` and `right`
//= returns any value
int height(const struct tree *t)
{
    if (!t)
        return 0;
    int l = height(t->left), r = height(t->right);
    return 1 + (l > r ? l : r);
}
