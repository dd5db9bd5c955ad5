// A loop stops on an element of a heap array that was never written.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    if (!a) return 1;
    a[0] = 1;
    a[1] = 1;
    int i = 0;
    while (a[i] == 1) //~ uninitialised
        i++;
    printf("%d\n", i > 4);
    free(a);
    return 0;
}
