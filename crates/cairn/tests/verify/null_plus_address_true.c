// An address that is added to a null pointer is the pointer that it came from.
//= memsafety: TRUE
//@ freed = memsafety: FALSE(valid-free)
//@ behind = memsafety: FALSE(valid-deref)
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = 5;
    char *none = 0;
    int *p = (int *)(none + (unsigned long)&a);
    //@ behind: int *p = (int *)(none + (unsigned long)&a) + 1;
    int *q = malloc(sizeof *q);
    if (*p != 5) free(&a);
    //@ freed: if (*p == 5) free(&a);
    free(q);
    return 0;
}
