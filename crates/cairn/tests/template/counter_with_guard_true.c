// A counter stays in bounds because it is compared before it is incremented.
//= unreach: TRUE
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0;
    if (n < 0) return 0;
    while (i < n) {
        if (i < 0 || i >= n) reach_error();
        i++;
    }
    if (i != n) reach_error();
}
