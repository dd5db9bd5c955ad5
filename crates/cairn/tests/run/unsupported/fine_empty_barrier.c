// An empty assembly statement as compiler barrier does nothing.
#include <stdio.h>

static int shared;

int main(void) {
    shared = 1;
    __asm__ volatile("" ::: "memory");
    shared++;
    asm volatile("" : : : "memory");
    printf("%d\n", shared);
    return 0;
}
