// Two variables hold the same block and both are freed.
#include <stdlib.h>

struct pair { int *a, *b; };

static void destroy(struct pair *p) {
    free(p->a);
    free(p->b); //~ double-free
}

int main(void) {
    struct pair p;
    p.a = calloc(3, sizeof(int));
    p.b = p.a;
    destroy(&p);
    return 0;
}
