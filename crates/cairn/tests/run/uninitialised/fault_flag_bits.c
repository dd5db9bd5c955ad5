// One bit of a word is set; toggling another does not initialise it.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    unsigned *flags = malloc(sizeof *flags);
    if (!flags) return 1;
    *flags |= 1u << 5;
    *flags ^= 1u << 6;
    if (*flags & 1u << 5)
        puts("five");
    if (*flags & 1u << 6) //~ uninitialised
        puts("six");
    free(flags);
    return 0;
}
