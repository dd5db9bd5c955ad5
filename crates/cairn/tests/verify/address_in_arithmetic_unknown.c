// Three times an address is no pointer.
//= memsafety: UNKNOWN
#include <stdlib.h>
static unsigned long kept;
int main(void) {
    kept = (unsigned long)malloc(4) * 3;
    return 0;
}
