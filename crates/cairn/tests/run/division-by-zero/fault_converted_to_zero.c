// A fraction becomes zero when converted to an integer and is then used as divisor.
#include <stdio.h>

int main(void) {
    double scale = 0.75;
    long n = 100;
    printf("%f\n", n / scale);
    printf("%ld\n", n / (long)scale); //~ division-by-zero
    return 0;
}
