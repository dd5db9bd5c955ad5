// One bit-field of a heap struct is set and the other, unset one is tested.
#include <stdlib.h>

struct flags { unsigned a : 3; unsigned b : 5; };

int main(void) {
    struct flags *f = malloc(sizeof *f);
    if (!f) return 1;
    f->a = 5;
    int r = 0;
    if (f->a == 5)
        r = 1;
    if (f->b == 9) //~ uninitialised
        r = 2;
    free(f);
    return r > 2;
}
