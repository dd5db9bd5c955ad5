// A local variable of another activation: summaries do not model it, bounded model checking does.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int go(int *p, int n) {
    int x = n;
    if (n <= 0) {
        *p = 7;
        return 0;
    }
    go(&x, n - 1);
    return x;
}
int main(void) {
    int y = 0;
    if (go(&y, __VERIFIER_nondet_int()) == 8) reach_error();
}
