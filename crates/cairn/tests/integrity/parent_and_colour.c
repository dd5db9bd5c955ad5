/* The parent of a node and its colour in one word. */
typedef unsigned long size_t;
typedef unsigned long uintptr_t;
extern void *malloc(size_t size);
#define NULL ((void *)0)

struct red { uintptr_t parent_and_colour; struct red *left, *right; };

struct red *red_parent(struct red *node)
{
    return node ? (struct red *)(node->parent_and_colour & ~(uintptr_t)3) : NULL;
}

int red_colour(struct red *node)
{
    return node ? (int)(node->parent_and_colour & 1) : 0;
}

void red_set_parent(struct red *node, struct red *parent)
{
    if (node)
        node->parent_and_colour = (node->parent_and_colour & 3) | (uintptr_t)parent;
}

void red_set_colour(struct red *node, unsigned colour)
{
    if (node)
        node->parent_and_colour = (node->parent_and_colour & ~(uintptr_t)1) | (colour & 1);
}

void red_set(struct red *node, struct red *parent, int colour)
{
    if (node)
        node->parent_and_colour = (uintptr_t)parent + (colour != 0);
}

struct red *red_new(struct red *parent)
{
    struct red *node = malloc(sizeof(struct red));
    if (!node)
        return NULL;
    node->parent_and_colour = (uintptr_t)parent;
    node->left = node->right = NULL;
    return node;
}

struct red *red_root(struct red *node)
{
    while (node && (node->parent_and_colour & ~(uintptr_t)3))
        node = (struct red *)(node->parent_and_colour & ~(uintptr_t)3);
    return node;
}

void red_rotate(struct red *node)
{
    struct red *right = node ? node->right : NULL;
    if (!right)
        return;
    node->right = right->left;
    if (right->left)
        right->left->parent_and_colour = (right->left->parent_and_colour & 3) | (uintptr_t)node;
    right->left = node;
    right->parent_and_colour = node->parent_and_colour;
    node->parent_and_colour = (node->parent_and_colour & 3) | (uintptr_t)right;
}

