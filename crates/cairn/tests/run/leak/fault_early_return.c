// An early return on one path forgets the block.
#include <stdlib.h>

static int check(int n) {
    int *work = malloc(sizeof(int) * 8); //~ leak
    if (!work) return -1;
    work[0] = n;
    if (work[0] > 2)
        return 1;
    free(work);
    return 0;
}

int main(void) {
    int found = 0;
    for (int i = 0; i < 4; i++)
        found += check(i);
    return found - 1;
}
