// Loops in loops walk lists of lists of lists. They are left at the end, in the middle, and all at once.
//= memsafety: TRUE
//@ past = memsafety: FALSE(valid-deref)
//      The innermost walk goes one node too far.
//@ lost = memsafety: FALSE(valid-memtrack)
//      The innermost walk takes a leaf out and keeps it no longer.
//@ branch = memsafety: FALSE(valid-memtrack)
//      The innermost walk takes the branch after its own out of the list.
//@ late = memsafety: FALSE(valid-deref)
//      A leaf that was freed is looked at.
//@ twice = memsafety: FALSE(valid-deref)
//      The innermost walk frees what the next branch owns, too.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct leaf { struct leaf *next; int value; };
struct branch { struct branch *next; struct leaf *leaves; };
struct tree { struct tree *next; struct branch *branches; };
int main(void) {
    struct tree *trees = NULL;
    while (__VERIFIER_nondet_bool()) {
        struct tree *tree = malloc(sizeof *tree);
        tree->next = trees;
        tree->branches = NULL;
        trees = tree;
        while (__VERIFIER_nondet_bool()) {
            struct branch *branch = malloc(sizeof *branch);
            branch->next = tree->branches;
            branch->leaves = NULL;
            tree->branches = branch;
            while (__VERIFIER_nondet_bool()) {
                struct leaf *leaf = malloc(sizeof *leaf);
                leaf->value = 0;
                leaf->next = branch->leaves;
                branch->leaves = leaf;
            }
        }
    }
    for (struct tree *tree = trees; tree; tree = tree->next)
        for (struct branch *branch = tree->branches; branch; branch = branch->next) {
            for (struct leaf *leaf = branch->leaves; leaf; leaf = leaf->next) {
                if (__VERIFIER_nondet_bool())
                    break;
//@ past+ leaf->next->value = 1;
//@ lost+ if (leaf->next) leaf->next = leaf->next->next;
//@ branch+ if (branch->next) branch->next = branch->next->next;
//@ twice+ if (branch->next && branch->next->leaves) free(branch->next->leaves);
                if (__VERIFIER_nondet_bool())
                    goto found;
            }
        }
found:
    ;
    while (trees) {
        struct tree *tree = trees;
        trees = tree->next;
        while (tree->branches) {
            struct branch *branch = tree->branches;
            tree->branches = branch->next;
            while (branch->leaves) {
                struct leaf *leaf = branch->leaves;
                branch->leaves = leaf->next;
                free(leaf);
//@ late+ branch->leaves = leaf->next;
            }
            free(branch);
        }
        free(tree);
    }
    return 0;
}
