// The part that realloc added has no value yet.
#include <stdlib.h>

int main(void) {
    int *a = calloc(2, sizeof *a);
    if (!a) return 1;
    a = realloc(a, 64 * sizeof *a);
    if (!a) return 1;
    int zeros = 0;
    for (int i = 0; i < 3; i++)
        if (a[i] == 0) //~ uninitialised
            zeros++;
    free(a);
    return zeros > 3;
}
