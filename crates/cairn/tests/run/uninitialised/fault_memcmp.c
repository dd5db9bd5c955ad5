// memcmp compares a byte that was never written.
#include <string.h>
#include <stdlib.h>

int main(void) {
    unsigned char a[4] = { 1, 2, 3, 4 };
    unsigned char *b = malloc(4);
    if (!b) return 1;
    b[0] = 1;
    b[1] = 2;
    b[2] = 3;
    int same = memcmp(a, b, 4) == 0; //~ uninitialised
    free(b);
    return same > 1;
}
