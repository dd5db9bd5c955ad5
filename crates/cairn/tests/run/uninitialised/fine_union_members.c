// The larger member of a union is only partly set and only that part is read.
#include <stdio.h>

union value { unsigned char bytes[8]; unsigned short half; };

int main(void) {
    union value v, w;
    v.half = 0x1234;
    w = v;
    if (w.half == 0x1234 && w.bytes[0] + w.bytes[1] == 0x46)
        printf("%x\n", w.half);
    return 0;
}
