// What follows a null pointer that is dereferenced is not known: no proof rests on it.
//= unreach: UNKNOWN
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    int *pointer = NULL;
    if (__VERIFIER_nondet_bool())
        *pointer = 1;
    return 0;
}
