// Two of four bytes of a word are set, and only those are left after masking and shifting.
#include <stdio.h>

int main(void) {
    union { unsigned word; unsigned char bytes[4]; } u;
    u.bytes[0] = 0x12;
    u.bytes[2] = 0x34;
    unsigned word = u.word;
    if ((word & 0xff) == 0x12 && (word >> 16 & 0xff) == 0x34)
        printf("%x\n", word & 0x00ff00ff);
    word = (word & ~0xff00u) | 0x5600;
    word = word << 8;
    if (word == 0x34561200)
        puts("shifted");
    return 0;
}
