// Faults of memory do not violate the property, and the sum of two shorts always fits.
//= overflow: TRUE
//@ of_ints = overflow: FALSE(no-overflow)
//@ step = overflow: FALSE(no-overflow)
extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);

int main(void)
{
    short a = __VERIFIER_nondet_short(), b = __VERIFIER_nondet_short();
    int c = a + b;
    int d = a * b;
    //@ of_ints+ d = c * __VERIFIER_nondet_int();
    //@ step+ a = b; c = __VERIFIER_nondet_int(); c++;
    unsigned u = 0;
    u = u - 1;
    a++;
    return c == d + a + (int)(u >> 31);
}
