// A plain assertion that does not hold.
#include <assert.h>

int main(void) {
    int a[3] = { 1, 2, 3 };
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += a[i];
    assert(sum == 7); //~ assertion
    return 0;
}
