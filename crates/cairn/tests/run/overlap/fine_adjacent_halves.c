// memcpy between the two halves of one array, which touch but do not overlap.
#include <stdio.h>
#include <string.h>

struct pool { unsigned char bytes[16]; };

int main(void) {
    struct pool p;
    memset(&p, 1, 8);
    size_t half = sizeof p.bytes / 2;
    memcpy(p.bytes + half, p.bytes, half);
    memcpy(p.bytes, p.bytes + half, half);
    printf("%d\n", p.bytes[15]);
    return 0;
}
