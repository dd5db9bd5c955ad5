// Something that is neither less nor greater nor equal: not-a-number.
//= unreach: FALSE(unreach-call)
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_error(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (!(x < 1.0) && !(x > 1.0) && x != 1.0) __VERIFIER_error();
    return 0;
}
