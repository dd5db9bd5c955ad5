// In unsigned arithmetic -1 is the largest number, so the division is fine.
#include <limits.h>
#include <stdio.h>

int main(void) {
    unsigned low = (unsigned)INT_MIN;
    unsigned ones = (unsigned)-1;
    printf("%u %u\n", low / ones, low % ones);
    printf("%u\n", INT_MIN / ones);
    return 0;
}
