// A recursive function has a summary.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int down(int n) { return n <= 0 ? 0 : down(n - 1); }
int main(void) {
    if (down(__VERIFIER_nondet_int()) == -7) reach_error();
}
