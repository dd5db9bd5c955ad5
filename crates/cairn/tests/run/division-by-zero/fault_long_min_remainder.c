// The remainder of the smallest long long by -1 is undefined as well.
#include <limits.h>

static long long values[3] = { 9, -4, LLONG_MIN };
static long long by[3] = { -2, -1, -1 };

int main(void) {
    long long r = 0;
    for (int i = 0; i < 3; i++)
        r += values[i] % by[i]; //~ division-by-zero
    return r == 5;
}
