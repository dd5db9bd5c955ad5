// memcpy reads from a block that was freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    double src[4] = { 1, 2, 3, 4 }, dst[4];
    double *heap = malloc(sizeof src);
    if (!heap) return 1;
    memcpy(heap, src, sizeof src);
    free(heap);
    memcpy(dst, heap, sizeof dst); //~ use-after-free
    printf("%f\n", dst[2]);
    return 0;
}
