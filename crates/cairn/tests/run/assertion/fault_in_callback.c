// An assertion fails inside a comparison callback called by qsort.
#include <assert.h>
#include <stdlib.h>

static int cmp(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    assert(x != y); //~ assertion
    return x < y ? -1 : 1;
}

int main(void) {
    int v[2] = { 4, 4 };
    qsort(v, 2, sizeof v[0], cmp);
    return 0;
}
