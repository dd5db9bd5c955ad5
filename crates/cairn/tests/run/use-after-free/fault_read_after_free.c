// Reads a heap integer after it was freed.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) return 1;
    *p = 42;
    free(p);
    printf("%d\n", *p); //~ use-after-free
    return 0;
}
