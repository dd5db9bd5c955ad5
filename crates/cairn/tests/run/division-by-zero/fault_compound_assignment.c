// The compound operator /= with a divisor of zero.
#include <stddef.h>

static size_t average(size_t total, const int *v, size_t n) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > 0)
            used++;
    total /= used; //~ division-by-zero
    return total;
}

int main(void) {
    int v[3] = { 0, -1, -2 };
    return (int)average(9, v, 3);
}
