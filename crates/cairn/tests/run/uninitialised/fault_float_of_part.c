// A word of which the low byte is set becomes a floating number: that depends on all of it.
#include <stdio.h>

int main(void) {
    union { int word; unsigned char bytes[4]; } u;
    u.bytes[0] = 9;
    if ((u.word & 0xff) != 9)
        return 1;
    double d = u.word;
    if (d > 0.5) //~ uninitialised
        puts("positive");
    return 0;
}
