// Reads a four byte integer of which only the first two bytes lie in the block.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    unsigned char *b = calloc(1, 6);
    if (!b) return 1;
    uint32_t *w = (uint32_t *)b;
    uint32_t sum = w[0];
    sum += w[1]; //~ out-of-bounds
    printf("%u\n", sum);
    free(b);
    return 0;
}
