// Half of something and one is between the halves of its bounds and one.
//= unreach: TRUE
//@ absorbs = unreach: FALSE(unreach-call)
//      A large number does not change when one is added, and what is no number is not equal to itself.
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x >= 0.0f && x <= 100.0f) {
//@ absorbs: if (x > 0 && x < 1e9f && x + 1.0f == x) {
        float y = x / 2.0f + 1.0f;
//@ absorbs: float nothing = (x - x) / 0.0f;
        if (!(y >= 1.0f && y <= 51.0f))
//@ absorbs: if (nothing != nothing)
            reach_error();
    }
    return 0;
}
