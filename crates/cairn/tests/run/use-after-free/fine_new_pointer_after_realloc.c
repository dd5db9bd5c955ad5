// After realloc only the new pointer is used, with the old contents kept.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    if (!a) return 1;
    for (int i = 0; i < 4; i++)
        a[i] = i * i;
    a = realloc(a, 4096 * sizeof *a);
    if (!a) return 1;
    a[4095] = 1;
    printf("%d %d\n", a[3], a[4095]);
    free(a);
    return 0;
}
