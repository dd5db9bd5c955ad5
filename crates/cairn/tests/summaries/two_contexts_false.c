// A property of the first call does not hold in the second.
//= unreach: FALSE(unreach-call)
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int next(int n) { return n + 1; }
int main(void) {
    if (next(1) != 2) return 1;
    if (next(41) == 42) reach_error();
}
