// The amount of a shift is partly set: the result is not initialised at all.
#include <stdio.h>

int main(void) {
    union { unsigned word; unsigned char bytes[4]; } u;
    u.bytes[0] = 2;
    if (1u << (u.word & 3) != 4)
        return 1;
    unsigned bit = 1u << (u.word >> 7 & 3);
    if (bit & 4) //~ uninitialised
        puts("two");
    return 0;
}
