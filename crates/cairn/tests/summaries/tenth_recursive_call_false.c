// The tenth call violates the assertion; no summary excludes it.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
static int steps(int left) {
    if (left <= 0) return 0;
    return 1 + steps(left - 1 - (__VERIFIER_nondet_int() == 3));
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 12) return 0;
    if (steps(n) == 9 && n == 11) reach_error();
    return 0;
}
