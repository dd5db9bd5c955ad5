/* A balanced binary tree with the interface of GLib's GTree: an AVL tree whose nodes are threaded, so that walking needs no stack.
   Every function is safe. */
typedef unsigned long size_t;
typedef int (*compare_fn)(const void *, const void *, void *);
typedef int (*traverse_fn)(void *, void *, void *);
typedef void (*destroy_fn)(void *);
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
#define NULL ((void *)0)

struct node {
    void *key;
    void *value;
    struct node *left;
    struct node *right;
    signed char balance;
    unsigned char left_child;
    unsigned char right_child;
};

struct tree {
    struct node *root;
    compare_fn compare;
    destroy_fn key_destroy;
    destroy_fn value_destroy;
    void *context;
    unsigned count;
    int references;
};

static struct node *node_new(void *key, void *value)
{
    struct node *node = malloc(sizeof(struct node));
    if (!node)
        abort();
    node->balance = 0;
    node->left = NULL;
    node->right = NULL;
    node->left_child = 0;
    node->right_child = 0;
    node->key = key;
    node->value = value;
    return node;
}

struct tree *tree_new_full(compare_fn compare, void *context, destroy_fn key_destroy, destroy_fn value_destroy)
{
    struct tree *tree = malloc(sizeof *tree);
    if (!tree)
        abort();
    tree->root = NULL;
    tree->compare = compare;
    tree->key_destroy = key_destroy;
    tree->value_destroy = value_destroy;
    tree->context = context;
    tree->count = 0;
    tree->references = 1;
    return tree;
}

struct tree *tree_new(compare_fn compare)
{
    return tree_new_full(compare, NULL, NULL, NULL);
}

struct tree *tree_new_with_data(compare_fn compare, void *context)
{
    return tree_new_full(compare, context, NULL, NULL);
}

static struct node *first_node(struct tree *tree)
{
    struct node *at;
    if (!tree->root)
        return NULL;
    at = tree->root;
    while (at->left_child)
        at = at->left;
    return at;
}

static struct node *node_previous(struct node *node)
{
    struct node *at = node->left;
    if (node->left_child)
        while (at->right_child)
            at = at->right;
    return at;
}

static struct node *node_next(struct node *node)
{
    struct node *at = node->right;
    if (node->right_child)
        while (at->left_child)
            at = at->left;
    return at;
}

void tree_remove_all(struct tree *tree)
{
    struct node *node = first_node(tree), *next;
    while (node) {
        next = node_next(node);
        if (tree->key_destroy)
            tree->key_destroy(node->key);
        if (tree->value_destroy)
            tree->value_destroy(node->value);
        free(node);
        node = next;
    }
    tree->root = NULL;
    tree->count = 0;
}

struct tree *tree_ref(struct tree *tree)
{
    tree->references++;
    return tree;
}

void tree_unref(struct tree *tree)
{
    if (--tree->references == 0) {
        tree_remove_all(tree);
        free(tree);
    }
}

void tree_destroy(struct tree *tree)
{
    tree_remove_all(tree);
    tree_unref(tree);
}

static struct node *rotate_left(struct node *node)
{
    struct node *right = node->right;
    int a, b;
    if (right->left_child) {
        node->right = right->left;
    } else {
        node->right_child = 0;
        right->left_child = 1;
    }
    right->left = node;
    a = node->balance;
    b = right->balance;
    if (b <= 0) {
        if (a >= 1)
            right->balance = b - 1;
        else
            right->balance = a + b - 2;
        node->balance = a - 1;
    } else {
        if (a <= b)
            right->balance = a - 2;
        else
            right->balance = b - 1;
        node->balance = a - b - 1;
    }
    return right;
}

static struct node *rotate_right(struct node *node)
{
    struct node *left = node->left;
    int a, b;
    if (left->right_child) {
        node->left = left->right;
    } else {
        node->left_child = 0;
        left->right_child = 1;
    }
    left->right = node;
    a = node->balance;
    b = left->balance;
    if (b <= 0) {
        if (b > a)
            left->balance = b + 1;
        else
            left->balance = a + 2;
        node->balance = a - b + 1;
    } else {
        if (a <= -1)
            left->balance = b + 1;
        else
            left->balance = a + b + 2;
        node->balance = a + 1;
    }
    return left;
}

static struct node *node_balance(struct node *node)
{
    if (node->balance < -1) {
        if (node->left->balance > 0)
            node->left = rotate_left(node->left);
        node = rotate_right(node);
    } else if (node->balance > 1) {
        if (node->right->balance < 0)
            node->right = rotate_right(node->right);
        node = rotate_left(node);
    }
    return node;
}

/* The way from the root to a node, so that it can be gone back. */
struct step {
    struct node *node;
    struct step *up;
};

static struct step *step_push(struct step *up, struct node *node)
{
    struct step *step = malloc(sizeof(struct step));
    if (!step)
        abort();
    step->node = node;
    step->up = up;
    return step;
}

static struct node *rebalance(struct tree *tree, struct step *path, struct node *node)
{
    for (;;) {
        struct node *parent = path ? path->node : NULL;
        int left = parent && node == parent->left;
        if (node->balance < -1 || node->balance > 1) {
            node = node_balance(node);
            if (!parent)
                tree->root = node;
            else if (left)
                parent->left = node;
            else
                parent->right = node;
        }
        if (node->balance == 0 || !parent)
            return node;
        if (left)
            parent->balance--;
        else
            parent->balance++;
        path = path->up;
        node = parent;
    }
}

static struct node *insert_internal(struct tree *tree, void *key, void *value, int replace)
{
    struct step *path = NULL;
    struct node *at, *made;
    if (!tree->root) {
        tree->root = node_new(key, value);
        tree->count++;
        return tree->root;
    }
    at = tree->root;
    for (;;) {
        int order = tree->compare(key, at->key, tree->context);
        if (order == 0) {
            if (tree->value_destroy)
                tree->value_destroy(at->value);
            at->value = value;
            if (replace) {
                if (tree->key_destroy)
                    tree->key_destroy(at->key);
                at->key = key;
            } else if (tree->key_destroy) {
                tree->key_destroy(key);
            }
            return at;
        }
        if (order < 0) {
            if (at->left_child) {
                path = step_push(path, at);
                at = at->left;
                continue;
            }
            made = node_new(key, value);
            made->left = at->left;
            made->right = at;
            at->left = made;
            at->left_child = 1;
            at->balance -= 1;
        } else {
            if (at->right_child) {
                path = step_push(path, at);
                at = at->right;
                continue;
            }
            made = node_new(key, value);
            made->right = at->right;
            made->left = at;
            at->right = made;
            at->right_child = 1;
            at->balance += 1;
        }
        tree->count++;
        rebalance(tree, path, at);
        return made;
    }
}

void tree_insert(struct tree *tree, void *key, void *value)
{
    insert_internal(tree, key, value, 0);
}

void tree_replace(struct tree *tree, void *key, void *value)
{
    insert_internal(tree, key, value, 1);
}

static struct node *find_node(struct tree *tree, const void *key)
{
    struct node *at = tree->root;
    if (!at)
        return NULL;
    for (;;) {
        int order = tree->compare(key, at->key, tree->context);
        if (order == 0)
            return at;
        if (order < 0) {
            if (!at->left_child)
                return NULL;
            at = at->left;
        } else {
            if (!at->right_child)
                return NULL;
            at = at->right;
        }
    }
}

static int remove_internal(struct tree *tree, const void *key, int steal)
{
    struct node *parent = NULL, *at = tree->root, *rest;
    if (!at)
        return 0;
    for (;;) {
        int order = tree->compare(key, at->key, tree->context);
        if (order == 0)
            break;
        parent = at;
        if (order < 0) {
            if (!at->left_child)
                return 0;
            at = at->left;
        } else {
            if (!at->right_child)
                return 0;
            at = at->right;
        }
    }
    if (!at->left_child && !at->right_child) {
        if (!parent) {
            tree->root = NULL;
        } else if (parent->left == at) {
            parent->left_child = 0;
            parent->left = at->left;
        } else {
            parent->right_child = 0;
            parent->right = at->right;
        }
    } else {
        if (!at->left_child) {
            rest = at->right;
            node_next(at)->left = at->left;
        } else if (!at->right_child) {
            rest = at->left;
            node_previous(at)->right = at->right;
        } else {
            struct node *before = at->left, *above = at;
            while (before->right_child) {
                above = before;
                before = before->right;
            }
            if (above != at) {
                if (before->left_child)
                    above->right = before->left;
                else
                    above->right_child = 0;
                before->left_child = 1;
                before->left = at->left;
            }
            before->right_child = 1;
            before->right = at->right;
            node_next(at)->left = before;
            rest = before;
        }
        if (!parent)
            tree->root = rest;
        else if (parent->left == at)
            parent->left = rest;
        else
            parent->right = rest;
    }
    if (!steal) {
        if (tree->key_destroy)
            tree->key_destroy(at->key);
        if (tree->value_destroy)
            tree->value_destroy(at->value);
    }
    free(at);
    tree->count--;
    return 1;
}

int tree_remove(struct tree *tree, const void *key)
{
    return remove_internal(tree, key, 0);
}

int tree_steal(struct tree *tree, const void *key)
{
    return remove_internal(tree, key, 1);
}

void *tree_lookup(struct tree *tree, const void *key)
{
    struct node *node = find_node(tree, key);
    return node ? node->value : NULL;
}

int tree_lookup_extended(struct tree *tree, const void *lookup, void **key, void **value)
{
    struct node *node = find_node(tree, lookup);
    if (!node)
        return 0;
    if (key)
        *key = node->key;
    if (value)
        *value = node->value;
    return 1;
}

void tree_foreach(struct tree *tree, traverse_fn visit, void *context)
{
    struct node *node;
    if (!tree->root)
        return;
    node = first_node(tree);
    while (node) {
        if (visit(node->key, node->value, context))
            break;
        node = node_next(node);
    }
}

static int node_pre_order(struct node *node, traverse_fn visit, void *context)
{
    if (visit(node->key, node->value, context))
        return 1;
    if (node->left_child && node_pre_order(node->left, visit, context))
        return 1;
    if (node->right_child && node_pre_order(node->right, visit, context))
        return 1;
    return 0;
}

static int node_in_order(struct node *node, traverse_fn visit, void *context)
{
    if (node->left_child && node_in_order(node->left, visit, context))
        return 1;
    if (visit(node->key, node->value, context))
        return 1;
    if (node->right_child && node_in_order(node->right, visit, context))
        return 1;
    return 0;
}

static int node_post_order(struct node *node, traverse_fn visit, void *context)
{
    if (node->left_child && node_post_order(node->left, visit, context))
        return 1;
    if (node->right_child && node_post_order(node->right, visit, context))
        return 1;
    return visit(node->key, node->value, context) != 0;
}

void tree_traverse(struct tree *tree, traverse_fn visit, int order, void *context)
{
    if (!tree->root)
        return;
    switch (order) {
    case 0:
        node_in_order(tree->root, visit, context);
        break;
    case 1:
        node_pre_order(tree->root, visit, context);
        break;
    case 2:
        node_post_order(tree->root, visit, context);
        break;
    }
}

static struct node *node_search(struct node *node, int (*search)(const void *, void *), void *context)
{
    if (!node)
        return NULL;
    for (;;) {
        int order = search(node->key, context);
        if (order == 0)
            return node;
        if (order < 0) {
            if (!node->left_child)
                return NULL;
            node = node->left;
        } else {
            if (!node->right_child)
                return NULL;
            node = node->right;
        }
    }
}

void *tree_search(struct tree *tree, int (*search)(const void *, void *), void *context)
{
    struct node *node = node_search(tree->root, search, context);
    return node ? node->value : NULL;
}

int tree_height(struct tree *tree)
{
    struct node *node;
    int height = 0;
    if (!tree->root)
        return 0;
    node = tree->root;
    while (1) {
        height += 1 + (node->balance > 0 ? node->balance : 0);
        if (!node->left_child)
            return height;
        node = node->left;
    }
}

unsigned tree_nnodes(struct tree *tree)
{
    return tree->count;
}
