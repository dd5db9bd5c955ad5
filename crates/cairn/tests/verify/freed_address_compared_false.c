// A new object may get the address of a freed one, and here it matters.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
int main(void) {
    char *old = malloc(4);
    char *copy = old;
    free(old);
    char *new = malloc(4);
    if (new == copy) {
        char *p = 0;
        *p = 1;
    }
    free(new);
    return 0;
}
