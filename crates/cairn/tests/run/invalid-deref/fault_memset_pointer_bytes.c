// Fills a pointer's bytes with a pattern and then follows it.
#include <stdio.h>
#include <string.h>

struct node { struct node *next; int v; };

int main(void) {
    struct node n = { 0, 3 };
    n.next = &n;
    printf("%d\n", n.next->v);
    memset(&n, 0x40, sizeof n);
    printf("%d\n", n.next->v); //~ invalid-deref
    return 0;
}
