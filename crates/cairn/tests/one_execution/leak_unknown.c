// The last node is lost. Another engine has to report it, because the execution does not recognise an address in a number.
// UNKNOWN
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void)
{
    struct node *first = 0;
    for (int i = 0; i < 300; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = first;
        first = node;
    }
    while (first->next) {
        struct node *next = first->next;
        free(first);
        first = next;
    }
    first = 0;
    return 0;
}
