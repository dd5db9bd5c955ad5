// A switch on a word of which one byte was set; a case has that byte.
#include <stdio.h>

int main(void) {
    union { int word; unsigned char bytes[4]; } tag;
    tag.bytes[0] = 3;
    if (tag.word == 4)
        return 1;
    switch (tag.word) { //~ uninitialised
    case 3: puts("three"); break;
    default: puts("other");
    }
    return 0;
}
