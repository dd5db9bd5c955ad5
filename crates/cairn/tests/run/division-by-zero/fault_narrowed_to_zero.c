// The divisor 256 becomes zero in an unsigned char.
#include <stdint.h>

static int per(int total, uint8_t parts) {
    return total % parts; //~ division-by-zero
}

int main(void) {
    int r = per(1000, 255);
    r += per(1000, (uint8_t)256);
    return r == 0;
}
