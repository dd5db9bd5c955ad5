// An input decides whether the index is in bounds.
// UNKNOWN
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int array[4] = {0};
    int input = __VERIFIER_nondet_int();
    return array[input & 7] * 0;
}
