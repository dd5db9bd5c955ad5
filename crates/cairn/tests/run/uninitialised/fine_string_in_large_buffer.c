// Only the part up to the terminating zero is set, and string functions stop there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *buf = malloc(64), other[64];
    if (!buf) return 1;
    strcpy(buf, "marble");
    strcpy(other, buf);
    printf("%zu %d %s\n", strlen(buf), strcmp(buf, other), other);
    free(buf);
    return 0;
}
