// Writes through the old pointer after realloc returned a new one.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    if (!a) return 1;
    int *first = &a[0];
    a[0] = 1;
    int *b = realloc(a, 4096 * sizeof *b);
    if (!b) return 1;
    *first = 2; //~ use-after-free
    printf("%d\n", b[0]);
    free(b);
    return 0;
}
