// A made-up sentinel address is compared but never followed.
#include <stdio.h>

#define END ((struct node *)0x1234)

struct node { int v; struct node *next; };

int main(void) {
    struct node b = { 2, END };
    struct node a = { 1, &b };
    int sum = 0;
    for (struct node *n = &a; n != END; n = n->next)
        sum += n->v;
    printf("%d\n", sum);
    return 0;
}
