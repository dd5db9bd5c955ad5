// The object is in one of two variables, and only that one is freed.
//= memsafety: TRUE
//@ both = memsafety: FALSE(valid-free)
//@ wrong = memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static char *x, *y;
static int freed, kept;
int main(void) {
    char *p = malloc(1);
    if (!p)
        return 1;
    if (__VERIFIER_nondet_int())
        x = p;
    else
        y = p;
    if (y) y[0] = 1;
//@ wrong: if (y) y[1] = 1;
    if (__VERIFIER_nondet_int())
        kept = 1;
    else
        freed = 1;
    if (freed) {
        free(p);
        p = NULL;
//@ both:
    }
    free(p);
    return 0;
}
