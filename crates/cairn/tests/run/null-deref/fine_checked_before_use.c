// Checks every pointer for null before following it.
#include <stdio.h>

struct node { int value; struct node *next; };

static int third(const struct node *n) {
    if (n && n->next && n->next->next)
        return n->next->next->value;
    return -1;
}

int main(void) {
    struct node b = { 2, 0 };
    struct node a = { 1, &b };
    printf("%d %d %d\n", third(&a), third(&b), third(NULL));
    return 0;
}
