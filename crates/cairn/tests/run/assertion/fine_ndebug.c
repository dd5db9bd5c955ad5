// With NDEBUG set assertions are not evaluated at all.
#define NDEBUG
#include <assert.h>

int main(void) {
    int n = 0;
    assert(n++ == 17);
    assert(0);
    return n;
}
