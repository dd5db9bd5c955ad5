// Empty assembly that takes a value, and one that hands it back unchanged.
#include <stdio.h>

static int keep(int x) {
    __asm__ volatile("" : : "r"(&x) : "memory");
    __asm__ volatile("" : "+r"(x));
    return x;
}

int main(void) {
    printf("%d\n", keep(41) + 1);
    return 0;
}
