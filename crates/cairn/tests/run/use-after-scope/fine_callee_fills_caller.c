// A callee writes into the caller's local, which is alive during the call.
#include <stdio.h>

struct point { int x, y; };

static struct point *init(struct point *p, int x) {
    p->x = x;
    p->y = -x;
    return p;
}

static int deep(int n, int *acc) {
    int mine = n;
    if (n > 0)
        deep(n - 1, &mine);
    *acc += mine;
    return *acc;
}

int main(void) {
    struct point p;
    int acc = 0;
    printf("%d\n", init(&p, 3)->y);
    printf("%d\n", deep(4, &acc));
    return 0;
}
