// A variable length array is filled except for its last element.
#include <stdio.h>

static long sum(int n) {
    long v[n], s = 0;
    for (int i = 0; i < n - 1; i++)
        v[i] = i;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}

int main(void) {
    printf("%ld\n", sum(6)); //~ uninitialised
    return 0;
}
