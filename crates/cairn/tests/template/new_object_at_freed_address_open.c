// An object may get the address of a freed one. The interpreter never reuses addresses, so no execution shows it.
//= unreach: OPEN
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int *old = malloc(sizeof *old);
    while (__VERIFIER_nondet_int()) {
        int *before = old;
        free(old);
        old = malloc(sizeof *old);
        if (before == old) reach_error();
    }
    free(old);
}
