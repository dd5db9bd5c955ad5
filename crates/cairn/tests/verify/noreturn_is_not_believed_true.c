// A function that is declared not to return, and returns, is followed.
//= memsafety: TRUE
//@ returns = memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
_Noreturn void stop(int status) {
    exit(status);
//@ returns: if (status > 5) exit(status);
}
int main(void) {
    int n = __VERIFIER_nondet_int(), a[2];
    if (n < 0 || n > 1)
        stop(n);
    a[n] = 1;
    return 0;
}
