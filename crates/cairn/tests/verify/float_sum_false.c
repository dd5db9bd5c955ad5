// Sums of floats depend on the order of adding, and what is no number is not equal to itself.
//= unreach: FALSE(unreach-call)
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void) {
    float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float(), c = __VERIFIER_nondet_float();
    if (a > 0 && b > 0 && c > 0 && a < 10 && b < 10 && c < 10 && (a + b) + c != a + (b + c)) {
        float nothing = (a - a) / (b - b);
        if (nothing != nothing)
            reach_error();
    }
    return 0;
}
