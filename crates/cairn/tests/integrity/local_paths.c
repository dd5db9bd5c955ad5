/* Trees whose way down is kept in an array: filled one by one, gone back through to a null at its bottom, with a hole that is
   filled later, as a stack, and in two arrays at once. */
#define NULL ((void *)0)

struct knot { long key; long weight; struct knot *left, *right; };
typedef int (*knot_compare)(long, long);

extern void knot_balance(struct knot *knot);

/* Keeps the way in an array whose first element is null. */
int knot_count_down(struct knot *root, long key, knot_compare compare)
{
    struct knot *path[24];
    int depth = 0;
    int changed = 0;
    path[depth++] = NULL;
    while (root) {
        if (depth >= 24)
            return -1;
        path[depth++] = root;
        if (compare(key, root->key) < 0)
            root = root->left;
        else
            root = root->right;
    }
    while (1) {
        struct knot *above = path[--depth];
        if (!above)
            return changed;
        if (above->weight > 4) {
            struct knot *left = above->left;
            above->left = above->right;
            above->right = left;
            knot_balance(above);
            changed = changed + 1;
        }
    }
}

/* Goes back by the index. */
void knot_weigh(struct knot *root, long key)
{
    struct knot *path[24];
    int depth = 0;
    while (root && depth < 24) {
        path[depth++] = root;
        root = key < root->key ? root->left : root->right;
    }
    while (depth > 0)
        path[--depth]->weight++;
}

/* An element is left out on the way and filled when the end is known. */
void knot_lift(struct knot *root, long key)
{
    struct knot *path[24];
    int depth = 0, hole;
    path[depth++] = NULL;
    while (root && depth < 20) {
        path[depth++] = root;
        root = key < root->key ? root->left : root->right;
    }
    hole = depth;
    while (root && depth < 23) {
        path[++depth] = root;
        root = root->left;
    }
    path[hole] = root;
    while (depth > 0) {
        struct knot *above = path[depth--];
        if (above)
            above->left = path[depth];
    }
}

/* A stack in place of recursion. */
long knot_sum(struct knot *root)
{
    struct knot *stack[32];
    unsigned top = 0;
    long sum = 0;
    if (root)
        stack[top++] = root;
    while (top > 0) {
        struct knot *knot = stack[--top];
        sum += knot->key;
        if (knot->left && top < 32)
            stack[top++] = knot->left;
        if (knot->right && top < 32)
            stack[top++] = knot->right;
    }
    return sum;
}

/* Two ways at once. */
void knot_zip(struct knot *one, struct knot *other)
{
    struct knot *mine[8], *yours[8];
    int count = 0;
    while (one && other && count < 8) {
        mine[count] = one;
        yours[count] = other;
        one = one->left;
        other = other->right;
        count++;
    }
    while (count-- > 0) {
        mine[count]->right = yours[count];
        yours[count]->left = mine[count];
    }
}

/* A local node that is in the graph for a while. */
struct knot *knot_hang(struct knot *root)
{
    struct knot hook;
    hook.left = root;
    hook.right = NULL;
    hook.key = hook.weight = 0;
    if (!root)
        return NULL;
    root->right = &hook;
    root->right->weight = root->key;
    root->right = NULL;
    return root;
}
