// The second call sees the state that the first one left.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int state;
int next(void) {
    state++;
    return state;
}
int main(void) {
    if (next() != 1) return 0;
    if (next() == 2) reach_error();
}
