// Two functions are mutually recursive.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      Two functions are mutually recursive, and the assertion excludes a possible result.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0) return 0;
    int r = even(n);
    if (r < 0 || r > 1) reach_error();
//@ broken: if (r == 0) reach_error();
}
