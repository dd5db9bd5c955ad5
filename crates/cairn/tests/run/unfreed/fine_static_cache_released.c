// A static cache is released by calling its owner with a release flag.
#include <stdlib.h>

static int *table(int release) {
    static int *cache;
    if (release) {
        free(cache);
        cache = NULL;
    } else if (!cache)
        cache = calloc(16, sizeof *cache);
    return cache;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        int *t = table(0);
        if (t) t[i] = i;
    }
    table(1);
    return 0;
}
