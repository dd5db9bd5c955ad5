// The freed pointer variable is given a new block before it is used again.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long *p = NULL;
    for (int round = 0; round < 5; round++) {
        free(p);
        p = malloc(sizeof *p);
        if (!p) return 1;
        *p = round;
    }
    printf("%ld\n", *p);
    free(p);
    return 0;
}
