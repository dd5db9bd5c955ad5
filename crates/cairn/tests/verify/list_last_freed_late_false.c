// The last node is freed again, but only of a list with more than five nodes.
//= memsafety: FALSE(valid-free)
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node *head = NULL, *last = NULL;
    while (__VERIFIER_nondet_bool()) {
        struct node *node = malloc(sizeof *node);
        node->next = NULL;
        if (last)
            last->next = node;
        else
            head = node;
        last = node;
    }
    int count = 0;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
        count++;
    }
    if (count > 5)
        free(last);
    return 0;
}
