// A switch on the byte of a word that was set, and one whose cases all differ from it there.
#include <stdio.h>

int main(void) {
    union { int word; unsigned char bytes[4]; } tag;
    tag.bytes[0] = 3;
    switch (tag.word & 0xff) {
    case 1: puts("one"); break;
    case 3: puts("three"); break;
    default: puts("other");
    }
    tag.bytes[3] = 0x7f;
    switch (tag.word) {
    case 1: puts("one"); break;
    case 2: puts("two"); break;
    default: puts("large");
    }
    return 0;
}
