// The smallest short divided by -1 is computed as int and fits.
#include <limits.h>
#include <stdio.h>

int main(void) {
    short s = SHRT_MIN;
    signed char c = SCHAR_MIN;
    signed char m = -1;
    printf("%d %d %d\n", s / m, c / m, c % m);
    long wide = (long)INT_MIN / m;
    printf("%ld\n", wide);
    return 0;
}
