// An uninitialised low byte is added: the carry into the next byte, which is set in both, is uninitialised.
#include <stdio.h>

int main(void) {
    union { unsigned word; unsigned char bytes[4]; } a;
    a.bytes[1] = 7;
    a.bytes[2] = a.bytes[3] = 0;
    unsigned sum = a.word + 0x80;
    if ((a.word >> 8) != 7)
        return 1;
    if (sum >> 8 == 8) //~ uninitialised
        puts("carried");
    return 0;
}
