// A large number does not change when one is added, and what is no number is not equal to itself.
//= unreach: FALSE(unreach-call)
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x > 0 && x < 1e9f && x + 1.0f == x) {
        float nothing = (x - x) / 0.0f;
        if (nothing != nothing)
            reach_error();
    }
    return 0;
}
