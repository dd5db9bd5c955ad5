// Keeps the address of a by-value struct parameter in a global after the call ended.
#include <stdio.h>

struct pair { int a[2]; };
static int *kept;

static void keep(struct pair p) {
    kept = &p.a[1];
}

int main(void) {
    struct pair q = { { 1, 2 } };
    keep(q);
    q.a[1] = *kept; //~ use-after-scope
    printf("%d\n", q.a[1]);
    return 0;
}
