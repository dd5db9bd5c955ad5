// An assertion about a pointer that turns out to be null.
#include <assert.h>
#include <stddef.h>

struct node { int v; struct node *next; };

static struct node *find(struct node *n, int v) {
    for (; n; n = n->next)
        if (n->v == v)
            return n;
    return NULL;
}

int main(void) {
    struct node b = { 2, NULL }, a = { 1, &b };
    assert(find(&a, 2) == &b);
    assert(find(&a, 3)); //~ assertion
    return 0;
}
