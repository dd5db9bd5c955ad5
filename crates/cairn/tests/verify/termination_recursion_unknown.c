// Recursion is not proved to end.
//= termination: UNKNOWN
extern int __VERIFIER_nondet_int(void);

static int down(int n)
{
    return n == 0 ? 0 : down(n - 2);
}

int main(void)
{
    return down(__VERIFIER_nondet_int());
}
