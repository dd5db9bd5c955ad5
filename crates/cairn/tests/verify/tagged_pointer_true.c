// A mark in the lowest bit of a pointer is put on and taken off.
//= memsafety: TRUE
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p);
    uintptr_t tagged = (uintptr_t)p | (__VERIFIER_nondet_int() ? 1 : 0);
    *(int *)(tagged & ~(uintptr_t)1) = 5;
    free((void *)(tagged & ~(uintptr_t)1));
    return 0;
}
