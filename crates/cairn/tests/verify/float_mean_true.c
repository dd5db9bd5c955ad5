// Half of something and one is between the halves of its bounds and one.
//= unreach: TRUE
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x >= 0.0f && x <= 100.0f) {
        float y = x / 2.0f + 1.0f;
        if (!(y >= 1.0f && y <= 51.0f))
            reach_error();
    }
    return 0;
}
