// A compound literal is used within its block, and one at file scope anywhere.
#include <stdio.h>

struct point { int x, y; };
static struct point *origin = &(struct point){ 1, 2 };

static int sum(const struct point *p) { return p->x + p->y; }

int main(void) {
    struct point *p = &(struct point){ 3, 4 };
    {
        p->x = 5;
    }
    printf("%d %d\n", sum(p), sum(origin));
    return 0;
}
