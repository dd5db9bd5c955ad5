// Treats a heap block as a larger struct and writes its last field beyond the block.
#include <stdlib.h>

struct base { int kind; };
struct derived { struct base b; int extra[3]; };

int main(void) {
    struct base *b = malloc(sizeof(struct base));
    if (!b) return 1;
    b->kind = 1;
    struct derived *d = (struct derived *)b;
    d->extra[2] = 5; //~ out-of-bounds
    free(b);
    return 0;
}
