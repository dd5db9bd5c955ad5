/* A binary search tree. Every function is safe. */
typedef unsigned long size_t;
extern void *malloc(size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
#define NULL ((void *)0)

struct tree {
    int value;
    struct tree *left;
    struct tree *right;
};

struct tree *init_tree(int value)
{
    struct tree *tree = malloc(sizeof(struct tree));
    if (tree == NULL)
        abort();
    tree->value = value;
    tree->left = NULL;
    tree->right = NULL;
    return tree;
}

void free_tree(struct tree *tree)
{
    if (tree->left != NULL)
        free_tree(tree->left);
    if (tree->right != NULL)
        free_tree(tree->right);
    free(tree);
}

int contains(struct tree *tree, int x)
{
    while (tree) {
        if (tree->value == x)
            return 1;
        tree = x < tree->value ? tree->left : tree->right;
    }
    return 0;
}

void add(struct tree *tree, int x)
{
    if (x < tree->value) {
        if (tree->left)
            add(tree->left, x);
        else
            tree->left = init_tree(x);
    } else if (x > tree->value) {
        if (tree->right)
            add(tree->right, x);
        else
            tree->right = init_tree(x);
    }
}

int maximum(struct tree *tree)
{
    return tree->right ? maximum(tree->right) : tree->value;
}

struct tree *remove_value(struct tree *tree, int x)
{
    if (x < tree->value) {
        if (tree->left)
            tree->left = remove_value(tree->left, x);
        return tree;
    }
    if (x > tree->value) {
        if (tree->right)
            tree->right = remove_value(tree->right, x);
        return tree;
    }
    if (tree->left) {
        int most = maximum(tree->left);
        tree->left = remove_value(tree->left, most);
        tree->value = most;
        return tree;
    }
    {
        struct tree *rest = tree->right;
        free(tree);
        return rest;
    }
}

struct tree *insert_by_slot(struct tree *tree, int x)
{
    struct tree **slot = &tree;
    while (*slot) {
        if (x < (*slot)->value)
            slot = &(*slot)->left;
        else
            slot = &(*slot)->right;
    }
    *slot = init_tree(x);
    return tree;
}
