// 1.5 is the only root between 1 and 2.
//= unreach: FALSE(unreach-call)
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x > 1.0f && x < 2.0f && x * x == 2.25f)
        reach_error();
    return 0;
}
