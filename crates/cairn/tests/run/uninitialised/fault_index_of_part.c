// An index of which only the low byte is set is an address that is not initialised.
#include <stdio.h>

int main(void) {
    static char table[256];
    union { unsigned word; unsigned char bytes[4]; } u;
    u.bytes[0] = 9;
    if (table[u.word & 0xff])
        return 1;
    u.word &= 0x1ff;
    return table[u.word & 0x8f | u.word & 0x100]; //~ uninitialised
}
