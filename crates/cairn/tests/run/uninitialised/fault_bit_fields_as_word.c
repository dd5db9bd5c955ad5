// A shift by one bit too few brings a bit-field in that was never set.
#include <stdio.h>
#include <string.h>

struct header { unsigned version : 4; unsigned length : 12; unsigned reserved : 3; int delta : 13; };

int main(void) {
    struct header h;
    h.version = 4;
    h.length = 1500;
    h.delta = -3;
    unsigned word;
    memcpy(&word, &h, sizeof word);
    if ((word & 15) != 4)
        return 1;
    if ((int)word >> 18 == -6) //~ uninitialised
        puts("delta");
    return 0;
}
