// A copy of no bytes overlaps nothing, even when the regions are close.
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[8] = "marl";
    size_t n = strlen(s) - 4;
    memcpy(s + 1, s, n);
    memcpy(s, s + 2, n);
    puts(s);
    return 0;
}
