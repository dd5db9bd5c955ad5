// Reads a bit-field whose neighbours in the same byte were never written.
#include <stdio.h>
#include <stdlib.h>

struct flags { unsigned a : 3; unsigned b : 2; signed c : 3; };

int main(void) {
    struct flags *f = malloc(sizeof *f), local;
    if (!f) return 1;
    f->b = 2;
    local.c = -2;
    if (f->b == 2 && local.c == -2)
        printf("%u %d\n", (unsigned)f->b, (int)local.c);
    free(f);
    return 0;
}
