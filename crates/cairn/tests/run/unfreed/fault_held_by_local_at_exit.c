// exit is called while a local of an active function still holds the block.
#include <stdlib.h>

static void stop(int code) {
    exit(code);
}

int main(void) {
    volatile char *p = malloc(16); //~ unfreed
    if (!p) return 1;
    p[0] = 'a';
    stop(0);
    return p[0];
}
