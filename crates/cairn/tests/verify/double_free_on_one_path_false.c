// Two conditions overlap in one value.
//= memsafety: FALSE(valid-free)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(4);
    int x = __VERIFIER_nondet_int();
    if (x * 3 == 51)
        free(p);
    if (x >= 17 && x <= 17 || x != 17)
        free(p);
    return 0;
}
