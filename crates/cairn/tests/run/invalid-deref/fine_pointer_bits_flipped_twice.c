// Stores a pointer with its bits flipped and flips them back before use.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uintptr_t hide(void *p) { return ~(uintptr_t)p; }
static void *show(uintptr_t h) { return (void *)~h; }

int main(void) {
    char *p = malloc(1);
    if (!p) return 1;
    *p = 'c';
    uintptr_t h = hide(p);
    printf("%c\n", *(char *)show(h));
    free(p);
    return 0;
}
