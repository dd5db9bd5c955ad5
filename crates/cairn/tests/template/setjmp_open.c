// setjmp is not modelled.
//= unreach: OPEN
#include <setjmp.h>
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
jmp_buf there;
int main(void) {
    if (setjmp(there) == 1) reach_error();
    if (__VERIFIER_nondet_int()) longjmp(there, 1);
}
