// The sum of the second loop depends on whether the first loop was executed: one interval for both paths is too weak.
//= unreach: TRUE
//: intervals,kept,paths
//@ forgets = unreach: FALSE(unreach-call)
//@ adds = unreach: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { abort(); }
int main(void) {
    int asked = 0, step = 0, total = 0;
    while (__VERIFIER_nondet_int()) {
        asked = 1;
        //@ forgets: asked = __VERIFIER_nondet_int();
        step = 7;
    }
    while (__VERIFIER_nondet_int())
        if (total < 100) total += step;
        //@ adds: if (total < 100) total += step + 1;
    if (!asked && total != 0) reach_error();
}
