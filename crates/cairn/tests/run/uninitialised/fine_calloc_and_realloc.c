// calloc gives zeros, and realloc keeps the old part, of which only that is read.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *a = calloc(2, sizeof *a);
    if (!a) return 1;
    a = realloc(a, 64 * sizeof *a);
    if (!a) return 1;
    int zeros = 0;
    for (int i = 0; i < 2; i++)
        if (a[i] == 0)
            zeros++;
    printf("%d\n", zeros);
    free(a);
    return 0;
}
