// A block is still held by a global pointer at the end and was never freed.
#include <stdlib.h>

char *buffer;

int main(void) {
    buffer = malloc(100); //~ unfreed
    if (!buffer) return 1;
    buffer[0] = 1;
    return 0;
}
