// A variable length array ends with its block.
#include <stdio.h>

int main(void) {
    long *keep = 0;
    int n = 5;
    {
        long v[n];
        for (int i = 0; i < n; i++)
            v[i] = i;
        keep = &v[2];
    }
    *keep = 7; //~ use-after-scope
    printf("%d\n", n);
    return 0;
}
