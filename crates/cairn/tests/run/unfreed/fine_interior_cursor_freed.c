// A global cursor into the block remains, but the block itself was freed.
#include <stdlib.h>

static int *cursor;

int main(void) {
    int *start = malloc(8 * sizeof *start);
    if (!start) return 1;
    start[3] = 3;
    cursor = start + 3;
    int r = *cursor;
    free(start);
    return r - 3;
}
