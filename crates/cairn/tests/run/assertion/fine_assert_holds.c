// The assertion holds, if only just.
#include <assert.h>
#include <limits.h>

int main(void) {
    int a[3] = { 1, 2, 3 };
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += a[i];
    assert(sum == 6);
    assert((unsigned char)(255 + 1) == 0);
    assert(UINT_MAX + 1u == 0);
    return 0;
}
