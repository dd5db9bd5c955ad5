// Each turn loses the block of the one before; what is left is not the same as what was there.
//= memsafety: FALSE(valid-memtrack)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *p = malloc(4);
    while (__VERIFIER_nondet_int())
        p = malloc(4);
    free(p);
    return 0;
}
