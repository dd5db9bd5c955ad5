// Stores a pointer with its bits flipped and forgets to flip them back.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uintptr_t hide(void *p) { return ~(uintptr_t)p; }

int main(void) {
    char *p = malloc(1);
    if (!p) return 1;
    *p = 'c';
    uintptr_t h = hide(p);
    char c = *(char *)h; //~ invalid-deref
    printf("%c\n", c);
    free(p);
    return 0;
}
