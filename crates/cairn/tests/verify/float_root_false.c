// 1.5 is the only root between 1 and 2.
//= unreach: FALSE(unreach-call)
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x > 1.0 && x < 2.0 && x * x == 2.25)
        reach_error();
    return 0;
}
