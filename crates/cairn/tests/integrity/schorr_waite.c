/* Marks everything that can be reached in a graph of nodes with two links, by reversing links on the way down. */
#define NULL ((void *)0)

struct vertex {
    unsigned marked : 1;
    unsigned right_done : 1;
    struct vertex *left;
    struct vertex *right;
};

void schorr_waite(struct vertex *root)
{
    struct vertex *at = root, *parent = NULL;
    while (parent != NULL || (at != NULL && !at->marked)) {
        if (at == NULL || at->marked) {
            if (parent->right_done) {
                struct vertex *back = at;
                at = parent;
                parent = parent->right;
                at->right = back;
            } else {
                struct vertex *back = at;
                at = parent->right;
                parent->right = parent->left;
                parent->left = back;
                parent->right_done = 1;
            }
        } else {
            struct vertex *back = parent;
            parent = at;
            at = at->left;
            parent->left = back;
            parent->marked = 1;
            parent->right_done = 0;
        }
    }
}
