// The conditions on the way have a solution.
//= unreach: FALSE(unreach-call)
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    if (x > 1000 || y > 1000)
        return 0;
    if (x * y == 899 && x > 1 && x < y)
        reach_error();
    return 0;
}
