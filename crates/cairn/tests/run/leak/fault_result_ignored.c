// The result of an allocating function is thrown away.
#include <stdlib.h>

static int *dup_int(int v) {
    int *p = malloc(sizeof *p); //~ leak
    if (p) *p = v;
    return p;
}

int main(void) {
    int *kept = dup_int(1);
    (void)dup_int(2);
    free(kept);
    return 0;
}
