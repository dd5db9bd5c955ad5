// There is no memory with an alignment of 24.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
int main(void) {
    char *p = aligned_alloc(24, 48);
    *p = 1;
    free(p);
    return 0;
}
