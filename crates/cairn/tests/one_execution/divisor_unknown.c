// The divisor is an input, which may be 0.
// UNKNOWN
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int quotient = 100 / __VERIFIER_nondet_int();
    return quotient * 0;
}
