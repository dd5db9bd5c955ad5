// Assembly is reached only in the third round of a loop.
#include <stdio.h>

int main(void) {
    int rounds = 0;
    for (int i = 0; i < 5; i++) {
        rounds++;
        if (i == 2)
            asm volatile("nop"); //~ unsupported
    }
    printf("%d\n", rounds);
    return 0;
}
