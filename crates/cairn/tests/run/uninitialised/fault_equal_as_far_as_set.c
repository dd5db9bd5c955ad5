// The bytes that are set are the same, so the others decide whether the words are equal.
#include <stdio.h>

int main(void) {
    union { int word; char bytes[4]; } a, b;
    a.bytes[0] = b.bytes[0] = 1;
    a.bytes[3] = b.bytes[3] = 5;
    if (a.word == 0)
        return 1;
    if (a.word == b.word) //~ uninitialised
        puts("equal");
    return 0;
}
