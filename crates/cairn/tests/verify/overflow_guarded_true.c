// The program asks whether the sum fits before it computes the sum.
//= overflow: TRUE
//@ without_sign = overflow: FALSE(no-overflow)
//@ off_by_one = overflow: FALSE(no-overflow)
extern long __VERIFIER_nondet_long(void);

static long add(long a, long b)
{
    //@ without_sign+ return a < 0x7fffffffffffffffL - b ? a + b : 0;
    //@ off_by_one+ if (a > 0 && b == 0x7fffffffffffffffL - a + 1) return a + b;
    if (b > 0 ? a > 0x7fffffffffffffffL - b : a < -0x7fffffffffffffffL - 1 - b)
        return 0;
    return a + b;
}

int main(void)
{
    long a = __VERIFIER_nondet_long();
    long b = __VERIFIER_nondet_long();
    return add(a, b) == 1;
}
