/* A search tree. The smallest key is removed, but its parent keeps the link, so that it is freed again. */
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            exit(1);
        node->key = key;
        node->left = node->right = NULL;
        return node;
    }
    if (key < tree->key)
        tree->left = insert(tree->left, key);
    else if (key > tree->key)
        tree->right = insert(tree->right, key);
    return tree;
}

static void remove_smallest(struct node *tree)
{
    while (tree->left)
        tree = tree->left;
    free(tree);
}

static void clear(struct node *tree)
{
    if (!tree)
        return;
    clear(tree->left);
    clear(tree->right);
    free(tree);
}

int main(void)
{
    static const int keys[] = { 4, 2, 6, 1, 3, 7 };
    struct node *tree = NULL;
    for (int i = 0; i < 6; i++)
        tree = insert(tree, keys[i]);
    remove_smallest(tree);
    clear(tree);
    return 0;
}
