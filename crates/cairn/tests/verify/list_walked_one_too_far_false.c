// One step more than there are nodes.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

struct node {
    struct node *next;
    int data;
};

int main(void) {
    unsigned length = __VERIFIER_nondet_uint();
    struct node *head = NULL;
    for (unsigned i = 0; i < length; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = head;
        head = node;
    }
    struct node *node = head;
    for (unsigned i = 0; i <= length; i++)
        node = node->next;
    return node != NULL;
}
