// The sixth node is reached only after several turns of the loop that frees.
//= unreach: FALSE(unreach-call)
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

struct node {
    struct node *next;
    int data;
};

static struct node *build(void) {
    struct node *head = NULL;
    while (__VERIFIER_nondet_bool()) {
        struct node *node = malloc(sizeof *node);
        node->next = head;
        head = node;
    }
    return head;
}

int main(void) {
    struct node *head = build();
    int count = 0;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
        count++;
    }
    if (count > 5)
        reach_error();
    return 0;
}
