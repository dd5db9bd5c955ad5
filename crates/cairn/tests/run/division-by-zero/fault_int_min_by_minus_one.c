// The smallest int divided by -1 does not fit in an int.
#include <limits.h>
#include <stdio.h>

static int divide(int a, int b) {
    if (b == 0)
        return 0;
    return a / b; //~ division-by-zero
}

int main(void) {
    printf("%d\n", divide(INT_MAX, -1));
    printf("%d\n", divide(INT_MIN, -1));
    return 0;
}
