// An array without terminating zero is only used with explicit lengths.
#include <stdio.h>
#include <string.h>

int main(void) {
    char tag[4] = "ABCD";
    char copy[5];
    strncpy(copy, tag, sizeof tag);
    copy[4] = 0;
    printf("%.4s %s %zu\n", tag, copy, strnlen(tag, sizeof tag));
    return 0;
}
