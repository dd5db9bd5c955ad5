// The number of bytes to sort does not fit into size_t.
#include <stdlib.h>

static int order(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    int values[4] = {4, 3, 2, 1};
    qsort(values, (size_t)-1 / 2, sizeof values[0], order); //~ out-of-bounds
    return values[0] != 1;
}
