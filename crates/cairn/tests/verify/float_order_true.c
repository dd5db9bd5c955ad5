// The order of two inputs with a fraction decides, whatever they are: not-a-number, zeros of either sign, infinities.
//= memsafety: TRUE
//= unreach: TRUE
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_error(void);
int main(void) {
    double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
    float f = __VERIFIER_nondet_float();
    if (x < y && y < x) __VERIFIER_error();
    if (x == x && y == y && !(x < y) && !(y < x) && x != y) __VERIFIER_error();
    if (x < y && !(x <= y)) __VERIFIER_error();
    if (x > 3.5 && x < 2.5) __VERIFIER_error();
    if (x != x && (x < y || x >= y)) __VERIFIER_error();
    if (f > 0.0f && -f > 0.0f) __VERIFIER_error();
    int a[2];
    if (f >= 0.0f && !(f > 0.0f) && f != 0.0f) a[2] = 0;
    return 0;
}
