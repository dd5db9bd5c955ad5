// A pointer points to one of two functions.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      A pointer points to one of two functions, and the assertion excludes the result of one.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int one(int x) { return x; }
int two(int x) { return x + 1; }
int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() ? one : two;
    int r = f(4);
    if (r < 4 || r > 5) reach_error();
//@ broken: if (r == 5) reach_error();
}
