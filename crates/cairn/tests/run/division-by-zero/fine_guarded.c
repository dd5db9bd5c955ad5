// The divisor is checked before the division in the same expression.
#include <stdio.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        int d = 3 - i;
        if (d != 0 && 12 / d > 3)
            sum++;
        sum += d ? 12 % d : 0;
    }
    printf("%d\n", sum);
    return 0;
}
