// lp64 only
// A switch on values of 128 bits, and case ranges in them.
#include <stdio.h>

static const char *classify(__int128 value) {
    switch (value) {
    case -5 ... -1: return "small and negative";
    case 0: return "zero";
    case (__int128)1 << 100: return "a power";
    case ((__int128)1 << 100) + 1 ... (__int128)1 << 101: return "above it";
    default: return "other";
    }
}

int main(void) {
    puts(classify(-3));
    puts(classify(0));
    puts(classify((__int128)1 << 100));
    puts(classify(((__int128)1 << 100) + 77));
    puts(classify(1));
    switch ((unsigned __int128)-1) {
    case (unsigned __int128)-1: puts("all ones"); break;
    default: puts("not all");
    }
    return 0;
}
