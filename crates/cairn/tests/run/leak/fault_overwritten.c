// The only pointer to a block is overwritten by a second allocation.
#include <stdlib.h>

int main(void) {
    char *p = malloc(10); //~ leak
    if (!p) return 1;
    p[0] = 'a';
    p = malloc(20);
    if (!p) return 1;
    p[0] = 'b';
    free(p);
    return 0;
}
