// reach_error is defined and its address taken, but it is never called.
#include <assert.h>
void reach_error(void) { assert(0); }

typedef void (*handler)(void);

int main(void) {
    handler h = reach_error;
    int used = h != 0;
    return used - 1;
}
