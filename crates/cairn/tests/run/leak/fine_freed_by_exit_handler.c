// main's own pointer is gone at exit, but a handler frees the block through a global.
#include <stdlib.h>

static char *kept;

static void cleanup(void) {
    free(kept);
    kept = NULL;
}

int main(void) {
    char *local = malloc(12);
    if (!local) return 1;
    local[0] = 'z';
    kept = local;
    atexit(cleanup);
    return 0;
}
