// The innermost recursive call changes a global variable.
//= unreach: TRUE
//@ broken = unreach: FALSE(unreach-call)
//      The innermost recursive call changes a global variable, and the assertion says that it does not.
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int done;
void down(int n) {
    if (n <= 0) {
        done = 1;
        return;
    }
    down(n - 1);
}
int main(void) {
    down(__VERIFIER_nondet_int());
    if (!done) reach_error();
//@ broken: if (done) reach_error();
}
