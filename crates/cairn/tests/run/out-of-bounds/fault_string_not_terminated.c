// strlen runs off a character array that has no terminating zero.
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    char *tag = malloc(4);
    if (!tag) return 1;
    memcpy(tag, "ABCD", 4);
    printf("%zu\n", strlen(tag)); //~ out-of-bounds
    free(tag);
    return 0;
}
