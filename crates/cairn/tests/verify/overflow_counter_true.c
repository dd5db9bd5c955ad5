// The bound of a loop keeps its counter and the sum from overflowing.
//= overflow: TRUE
//@ too_large = overflow: FALSE(no-overflow)
//@ negative_shift = overflow: FALSE(no-overflow)
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int sum = 0;
    if (n < 0 || n > 1000)
        return 0;
    //@ too_large+ sum = 2147483647 - n + 1;
    //@ negative_shift+ sum = (n - 1) << 1;
    for (int i = 0; i < n; i++)
        sum = i + 1;
    return sum < 0;
}
