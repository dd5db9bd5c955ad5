// strlen looks for the end of a string in a buffer that was not filled.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *buf = malloc(16);
    if (!buf) return 1;
    buf[0] = 'a';
    size_t n = strlen(buf); //~ uninitialised
    free(buf);
    return n > 1000;
}
