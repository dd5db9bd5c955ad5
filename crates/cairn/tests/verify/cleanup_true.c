// It is freed on every way out.
//= memcleanup: TRUE
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *kept;
int main(void) {
    kept = malloc(4);
    if (__VERIFIER_nondet_int() != 7) {
        free(kept);
        exit(1);
    }
    free(kept);
    return 0;
}
