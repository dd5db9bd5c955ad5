// Only the solver can tell that realloc gets null here.
//= memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    if (a != b || (a & 1) || (b | 1) != 1)
        return 0;
    int *p = realloc((void *)a, sizeof *p);
    p[1] = 1;
    free(p);
    return 0;
}
