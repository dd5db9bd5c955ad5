// The assertion short-circuits before the part that would fail.
#include <assert.h>
#include <stddef.h>

int main(void) {
    int *p = NULL;
    int n = 3;
    assert(p == NULL || *p == 4);
    assert(n == 3 ? p == NULL : 0);
    return 0;
}
