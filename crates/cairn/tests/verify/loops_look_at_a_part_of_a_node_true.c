// Lists of lists of lists. The innermost loop works on what one node owns and does not look at that node's other fields; where it does so
// by another way, that counts.
//= memsafety: TRUE
//@ cut = memsafety: FALSE(valid-memtrack)
//      The innermost loop cuts off the nodes behind, by way of a global.
//@ beyond = memsafety: FALSE(valid-memtrack)
//      It drops what the node behind owns.
//@ flag = memsafety: FALSE(valid-deref)
//      It sets a flag in the node, by way of a global pointer to that.
//@ freed = memsafety: FALSE(valid-memtrack)
//      It frees the node behind by way of a second variable, and what that owns is lost.
//@ gone = memsafety: FALSE(valid-deref)
//      It frees the node itself.
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct leaf { struct leaf *next; };
struct branch { struct branch *next; struct leaf *leaves; int flag; };
struct tree { struct tree *next; struct branch *branches; };
struct branch *current;
int *current_flag;
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
            branch->flag = 0;
            tree->branches = branch;
            current = branch;
            current_flag = &branch->flag;
            struct branch *same = branch;
            while (__VERIFIER_nondet_bool()) {
                struct leaf *leaf = malloc(sizeof *leaf);
                leaf->next = branch->leaves;
                branch->leaves = leaf;
//@ cut+ current->next = NULL;
//@ beyond+ if (current->next) current->next->leaves = NULL;
//@ flag+ *current_flag = 1;
//@ freed+ free(same->next); same->next = NULL;
//@ gone+ free(current);
            }
            if (branch->flag)
                *(int *)0 = 1;
        }
    }
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
            }
            free(branch);
        }
        free(tree);
    }
    return 0;
}
