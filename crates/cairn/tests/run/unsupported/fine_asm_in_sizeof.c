// Assembly inside the operand of sizeof is never carried out.
#include <stdio.h>

int main(void) {
    size_t n = sizeof(({ asm volatile("nop"); 1; }));
    int zero = 0;
    int r = zero && ({ asm volatile("nop"); 1; });
    printf("%zu %d\n", n, r);
    return 0;
}
