// exit is called in a function after the only pointer was cleared, so the block is lost.
#include <stdlib.h>

static void finish(void **slot) {
    *slot = NULL;
    exit(0);
}

int main(void) {
    void *p = malloc(64); //~ leak
    if (!p) return 1;
    finish(&p);
    return 1;
}
