// The low bytes differ, so the words do, whatever the bytes are that were never set.
#include <stdio.h>

int main(void) {
    union { int word; char bytes[4]; } a, b;
    a.bytes[0] = 1;
    b.bytes[0] = 2;
    if (a.word == b.word)
        puts("equal");
    if (a.word != b.word)
        puts("different");
    a.bytes[3] = 5;
    if (a.word == 0)
        puts("zero");
    return 0;
}
