// Two variables hold the same block, and only one of them is freed.
#include <stdlib.h>

struct pair { int *a, *b; };

static void destroy(struct pair *p) {
    if (p->b != p->a)
        free(p->b);
    free(p->a);
}

int main(void) {
    struct pair p, q;
    p.a = calloc(3, sizeof(int));
    p.b = p.a;
    q.a = calloc(1, 1);
    q.b = calloc(1, 1);
    destroy(&p);
    destroy(&q);
    return 0;
}
