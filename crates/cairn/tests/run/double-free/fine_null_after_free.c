// The pointer is set to null after free, so the second free does nothing.
#include <stdlib.h>

int main(void) {
    char *p = malloc(10);
    if (!p) return 1;
    p[0] = 1;
    free(p);
    p = NULL;
    free(p);
    return 0;
}
