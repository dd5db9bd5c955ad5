// Grows a block through realloc many times and frees only the last pointer.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *a = NULL;
    for (int n = 1; n <= 64; n *= 2) {
        int *b = realloc(a, n * sizeof *b);
        if (!b) { free(a); return 1; }
        b[n - 1] = n;
        a = b;
    }
    printf("%d\n", a[63]);
    free(a);
    return 0;
}
