// It is freed on every way out.
//= memcleanup: TRUE
//@ broken = memcleanup: FALSE(valid-memcleanup)
//      A global still holds the object when the program ends.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *kept;
int main(void) {
    kept = malloc(4);
    if (__VERIFIER_nondet_int() != 7) {
//@ broken: if (__VERIFIER_nondet_int() != 7)
        free(kept);
        exit(1);
//@ broken:
    }
//@ broken:
    free(kept);
//@ broken:
    return 0;
}
