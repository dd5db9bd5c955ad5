// Copies between separate blocks that were allocated one after the other.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = calloc(1, 24), *b = calloc(1, 24);
    if (!a || !b) return 1;
    strcpy(a, "tuff");
    memcpy(b, a, 24);
    strcat(b, a);
    int r = strcmp(b, "tufftuff");
    free(a);
    free(b);
    return r;
}
