// Walks a linked list one step too far and reads a field of the null next pointer.
#include <stdio.h>
#include <stdlib.h>

struct node { int value; struct node *next; };

static int third(const struct node *n) {
    return n->next->next->value; //~ null-deref
}

int main(void) {
    struct node *a = malloc(sizeof *a);
    struct node *b = malloc(sizeof *b);
    if (!a || !b) return 1;
    a->value = 1;
    a->next = b;
    b->value = 2;
    b->next = NULL;
    printf("%d\n", third(a));
    free(b);
    free(a);
    return 0;
}
