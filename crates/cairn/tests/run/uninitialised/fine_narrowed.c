// A word of which the low half is set is narrowed to it in several ways.
#include <stdio.h>
#include <string.h>

static int narrow(short s) { return s; }

int main(void) {
    int i;
    short low = -7;
    memcpy(&i, &low, sizeof low);
    long wide = i;
    if ((short)i == -7 && narrow(i) == -7 && (unsigned char)wide == 0xf9)
        printf("%d %u\n", (short)wide, (unsigned short)i);
    char c = i;
    if (c < 0)
        puts("negative");
    return 0;
}
