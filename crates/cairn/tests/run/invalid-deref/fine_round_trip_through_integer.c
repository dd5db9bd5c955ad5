// A pointer turned into an integer and back is still the same pointer.
#include <stdint.h>
#include <stdio.h>

int main(void) {
    int x = 5;
    uintptr_t n = (uintptr_t)&x;
    int *p = (int *)n;
    *p += 1;
    printf("%d\n", x);
    return 0;
}
