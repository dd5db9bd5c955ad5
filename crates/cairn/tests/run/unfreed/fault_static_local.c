// A cache in a static local variable is never freed.
#include <stdlib.h>

static int *table(void) {
    static int *cache;
    if (!cache)
        cache = calloc(16, sizeof *cache); //~ unfreed
    return cache;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        int *t = table();
        if (t) t[i] = i;
    }
    return 0;
}
