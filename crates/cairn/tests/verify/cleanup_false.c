// A global still holds the object when the program ends.
//= memcleanup: FALSE(valid-memcleanup)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *kept;
int main(void) {
    kept = malloc(4);
    if (__VERIFIER_nondet_int() != 7)
        free(kept);
    return 0;
}
