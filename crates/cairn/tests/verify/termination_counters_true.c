// Counters with a known direction and bound. Each mutant has an execution without an end.
//= termination: TRUE
//@ bound_moves = termination: UNKNOWN
//@ no_step = termination: UNKNOWN
//@ at_most_greatest = termination: UNKNOWN
//@ unsigned_not_negative = termination: UNKNOWN
//@ steps_over = termination: UNKNOWN
//@ char_too_small = termination: UNKNOWN
//@ step_unknown = termination: UNKNOWN
//@ continues = termination: UNKNOWN
//@ again = termination: UNKNOWN
//@ half_of_zero = termination: UNKNOWN
//@ doubles_zero = termination: UNKNOWN
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    unsigned u = __VERIFIER_nondet_uint();
    for (int i = 0; i < n; i++)
        for (int j = m; j > 0; j--)
            u++;
            //@ bound_moves: i = n - 2;
            //@ no_step: if (u++ == 7) break; else j++;
    for (int i = 0; i < n; i++) {
        //@ at_most_greatest: for (int i = 0; i <= n; i++) {
        //@ continues+ if (__VERIFIER_nondet_int()) { i--; continue; }
        u++;
    }
    for (unsigned i = 10; i > 0; i--)
        //@ unsigned_not_negative: for (unsigned i = 10; i >= 0; i--)
        u--;
    for (unsigned i = 3; i != u; i++)
        //@ steps_over: for (unsigned i = 3; i != u; i += 2)
        m = 5;
    for (char c = 0; c < 100; c++)
        //@ char_too_small: for (char c = 0; c < 200; c++)
        m = 6;
    if (m > 0)
        while (n > 0)
            n -= m;
            //@ step_unknown: n -= __VERIFIER_nondet_int();
    while (n > 0)
        n /= 2;
        //@ half_of_zero: if (!(n /= 2)) n = 1;
    if (u > 0)
        //@ doubles_zero:
        while (u < 1000u)
            u *= 2;
    if (__VERIFIER_nondet_int())
        n = 3;
        //@ again: for (;;);
    return 0;
}
