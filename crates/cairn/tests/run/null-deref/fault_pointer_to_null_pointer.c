// Dereferences twice a pointer to a pointer whose inner pointer is null.
#include <stdio.h>

static void reset(int **slot) {
    *slot = 0;
}

int main(void) {
    int x = 5;
    int *p = &x;
    int **pp = &p;
    printf("%d\n", **pp);
    reset(pp);
    printf("%d\n", **pp); //~ null-deref
    return 0;
}
