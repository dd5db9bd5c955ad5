// A function's address survives being kept as an integer and in bytes.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int seven(void) { return 7; }

int main(void) {
    uintptr_t n = (uintptr_t)seven;
    int (*f)(void) = (int (*)(void))n;
    int (*g)(void);
    memcpy(&g, &f, sizeof g);
    printf("%d %d\n", f(), g());
    return 0;
}
