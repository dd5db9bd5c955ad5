// Bit-fields next to one that was never set are read as part of their word.
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
    if ((word & 15) == 4 && (word >> 4 & 0xfff) == 1500)
        printf("%d\n", (int)word >> 19);
    struct header copy = h;
    copy.version++;
    if (copy.version == 5 && copy.delta == -3)
        puts("copied");
    return 0;
}
