// A comparison callback reads through array entries that are null.
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    const int *x = *(const int *const *)a;
    const int *y = *(const int *const *)b;
    return (*x > *y) - (*x < *y); //~ null-deref
}

int main(void) {
    const int *items[2] = { NULL, NULL };
    qsort(items, 2, sizeof items[0], by_value);
    printf("%d\n", items[0] == NULL);
    return 0;
}
