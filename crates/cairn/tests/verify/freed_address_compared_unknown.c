// Whether a new object gets the address of a freed one is not known, and here it matters.
//= memsafety: UNKNOWN
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
