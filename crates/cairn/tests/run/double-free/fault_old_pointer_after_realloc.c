// Frees the old pointer although realloc already released it.
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    if (!a) return 1;
    a[0] = 1;
    int *b = realloc(a, 5000 * sizeof *b);
    if (!b) return 1;
    free(a); //~ double-free
    free(b);
    return 0;
}
