// What atexit registered runs when main returns.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
static int *nothing;
static void handler(void) { *nothing = 1; }
int main(void) {
    atexit(handler);
    return 0;
}
