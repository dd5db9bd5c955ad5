// An interior cursor walks the block while the start is kept for free.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *start = calloc(5, sizeof *start);
    if (!start) return 1;
    for (int *p = start; p < start + 5; p++)
        *p = (int)(p - start);
    printf("%d\n", start[4]);
    free(start);
    return 0;
}
