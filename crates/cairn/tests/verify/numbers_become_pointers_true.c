// A number that becomes a pointer may be any address: null, or one in front of the object that it was computed from.
//= unreach: TRUE
//@ difference = unreach: UNKNOWN
//@ any = unreach: FALSE(unreach-call)
//@ stored = unreach: FALSE(unreach-call)
//@ before = unreach: FALSE(unreach-call)
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
union word {
    unsigned long number;
    char *pointer;
};
int main(void) {
    char *p = malloc(8);
    if (!p)
        return 1;
    unsigned long x = __VERIFIER_nondet_ulong();
    unsigned long y = x % 8;
    //@ any: unsigned long y = x;
    //@ stored: union word w = {.number = (unsigned long)p + x}; unsigned long y = 0;
    //@ before: unsigned long y = -(x % 256);
    char *q = (char *)((unsigned long)p + y);
    //@ stored: char *q = w.pointer;
    if (!q)
        reach_error();
    if (q < p)
        reach_error();
    unsigned long a = (unsigned long)p;
    free(p);
    char *r = malloc(8);
    if (!r)
        return 1;
    q = (char *)(a + 1);
    //@ difference: q = (char *)(a - (unsigned long)r);
    if (!q)
        reach_error();
    free(r);
    return 0;
}
