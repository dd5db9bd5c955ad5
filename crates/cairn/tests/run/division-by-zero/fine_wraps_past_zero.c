// The bit-field wraps around, but the loop stops before it divides by zero.
#include <stdio.h>

struct timer { unsigned step : 2; unsigned rest : 6; };

int main(void) {
    struct timer t = { 1, 40 };
    unsigned sum = 0;
    do {
        sum += t.rest / t.step;
        t.step++;
    } while (t.step);
    printf("%u\n", sum);
    return 0;
}
