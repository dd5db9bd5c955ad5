// Leaves a block with goto and then writes to one of its variables through a pointer.
#include <stdio.h>

int main(void) {
    int *p;
    int n = 0;
    {
        int inner = 1;
        p = &inner;
        n += inner;
        goto out;
    }
out:
    *p = n; //~ use-after-scope
    printf("%d\n", n);
    return 0;
}
