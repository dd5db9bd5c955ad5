// An index that wraps around frees an array's first pointer a second time.
#include <stdlib.h>

int main(void) {
    long *slots[3];
    for (int i = 0; i < 3; i++)
        slots[i] = malloc(sizeof(long));
    for (int i = 0; i < 4; i++)
        free(slots[i % 3]); //~ double-free
    return 0;
}
