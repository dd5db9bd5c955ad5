// Uninitialised members are copied around but never decide anything.
#include <stdio.h>
#include <string.h>

struct box { int full; int value; };

static struct box pass(struct box b) { return b; }

int main(void) {
    struct box a, b, c;
    a.full = 0;
    memcpy(&b, &a, sizeof b);
    c = pass(b);
    int v = c.value;
    int w = v;
    (void)w;
    if (c.full)
        puts("full");
    return 0;
}
