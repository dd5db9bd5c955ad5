// A failed assert ends the program, but it is not the error function.
//= unreach: TRUE
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    assert(x != 3);
    if (x == 3)
        reach_error();
    return 0;
}
