// Dividing a floating point number by zero gives infinity.
#include <stdio.h>

int main(void) {
    double zero = 0.0;
    float f = 0.0f;
    double inf = 1.0 / zero;
    printf("%d %d\n", inf > 1e300, 1.0f / -f < 0);
    return 0;
}
