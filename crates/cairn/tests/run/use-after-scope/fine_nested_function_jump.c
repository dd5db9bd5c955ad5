// A nested function jumps out of the block of one variable; the pointer is to another, whose block goes on.
#include <stdio.h>

int main(void) {
    __label__ out;
    int outer = 4;
    int *p = &outer;
    void leave(void) { goto out; }
    {
        int inner = 5;
        if (inner + *p == 9)
            leave();
    }
    return 1;
out:
    return *p == 4 ? 0 : 1;
}
