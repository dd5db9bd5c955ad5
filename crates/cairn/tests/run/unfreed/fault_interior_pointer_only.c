// Only a pointer into the middle of the block is left in a global; that keeps it reachable.
#include <stdlib.h>

static int *cursor;

int main(void) {
    int *start = malloc(8 * sizeof *start); //~ unfreed
    if (!start) return 1;
    for (int i = 0; i < 8; i++)
        start[i] = i;
    cursor = start + 3;
    start = NULL;
    return *cursor - 3;
}
