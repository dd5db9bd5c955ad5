// Every node of a list owns a tree; some lose a part of it.
//= memsafety: TRUE
//@ part_kept = memsafety: FALSE(valid-deref)
//      The part that was freed is still there.
//@ part_lost = memsafety: FALSE(valid-memtrack)
//      The part that is cut off is lost.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct tree { struct tree *left, *right; };
struct node { struct node *next; struct tree *tree; };

static struct tree *plant(void)
{
    if (__VERIFIER_nondet_int())
        return NULL;
    struct tree *tree = malloc(sizeof *tree);
    if (!tree)
        exit(1);
    tree->left = plant();
    tree->right = plant();
    return tree;
}

static void fell(struct tree *tree)
{
    if (!tree)
        return;
    fell(tree->left);
    fell(tree->right);
    free(tree);
}

int main(void)
{
    struct node *first = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            exit(1);
        node->tree = plant();
        node->next = first;
        first = node;
    }
    for (struct node *at = first; at; at = at->next) {
        if (at->tree && at->tree->left) {
            fell(at->tree->left);
//@ part_lost:
            at->tree->left = NULL;
//@ part_kept:
        }
    }
    while (first) {
        struct node *next = first->next;
        fell(first->tree);
        free(first);
        first = next;
    }
    return 0;
}
