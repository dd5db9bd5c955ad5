// Bits of a word that was never set as a whole are set, cleared and tested one by one.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    unsigned *flags = malloc(sizeof *flags);
    if (!flags) return 1;
    *flags |= 1u << 5;
    *flags &= ~(1u << 9);
    if (*flags & 1u << 5)
        puts("five");
    if (!(*flags & 1u << 9))
        puts("not nine");
    if ((*flags ^ 1u << 5) & 1u << 5)
        puts("never");
    free(flags);
    return 0;
}
