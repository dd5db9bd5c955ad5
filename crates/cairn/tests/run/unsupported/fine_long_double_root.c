// What is exact in every format.
#include <math.h>

int main(void) {
    volatile long double area = 144.0L;
    return sqrtl(area) != 12.0L || floorl(area / 5.0L) != 28.0L;
}
