// Assembly stands behind a return and behind a goto that jumps over it.
#include <stdio.h>

static int f(int x) {
    if (x > 0)
        goto over;
    asm volatile("nop");
over:
    return x;
    __asm__("nop");
}

int main(void) {
    printf("%d\n", f(3));
    return 0;
}
