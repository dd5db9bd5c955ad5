// Memory from alloca lives until the function returns, not just to the end of the block.
#include <alloca.h>
#include <stdio.h>

struct node { struct node *next; int v; };

int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 4; i++) {
        struct node *n = alloca(sizeof *n);
        n->next = head;
        n->v = i;
        head = n;
    }
    int sum = 0;
    for (struct node *n = head; n; n = n->next)
        sum = sum * 10 + n->v;
    printf("%d\n", sum);
    return 0;
}
