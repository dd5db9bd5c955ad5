// Two of four bytes of a word are set; the mask lets one through that is not.
#include <stdio.h>

int main(void) {
    union { unsigned word; unsigned char bytes[4]; } u;
    u.bytes[0] = 0x12;
    u.bytes[2] = 0x34;
    unsigned word = u.word;
    if ((word & 0xff) != 0x12)
        return 1;
    if ((word & 0xffff) == 0x12) //~ uninitialised
        puts("small");
    return 0;
}
