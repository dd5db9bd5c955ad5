// A nested function jumps out of the block of a variable that a pointer still points to.
#include <stdio.h>

int main(void) {
    __label__ out;
    int *p = 0;
    void leave(void) { goto out; }
    {
        int inner = 5;
        p = &inner;
        leave();
    }
out:
    return *p == 5 ? 0 : 1; //~ use-after-scope
}
