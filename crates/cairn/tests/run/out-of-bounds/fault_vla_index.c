// Index equal to the length of a variable length array.
#include <stdio.h>

static int last(int n) {
    unsigned char v[n];
    for (int i = 0; i < n; i++)
        v[i] = (unsigned char)(i + 1);
    return v[n]; //~ out-of-bounds
}

int main(void) {
    printf("%d\n", last(7));
    return 0;
}
