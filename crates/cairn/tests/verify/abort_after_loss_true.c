// Memory that the program still holds may stay allocated when it aborts. Memory that it has lost is a leak.
//= memsafety: TRUE
//@ lost = memsafety: FALSE(valid-memtrack)
//@ failed_assertion = memsafety: FALSE(valid-memtrack)
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = __VERIFIER_nondet_int();
    int value = *p;
    if (value > 5)
        abort();
//@ lost: { p = 0; abort(); }
    if (value < 0)
        assert(value > 0);
//@ failed_assertion: { p = 0; assert(value > 0); }
    free(p);
    return 0;
}
