// The quotient of the least number and -1 is avoided.
//= overflow: TRUE
//@ unguarded = overflow: FALSE(no-overflow)
//@ remainder = overflow: FALSE(no-overflow)
//@ negation = overflow: FALSE(no-overflow)
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (b == 0)
        return 0;
    //@ unguarded+ return a / b;
    //@ remainder+ return a % b;
    //@ negation+ return -a;
    if (b == -1)
        return 1;
    return a / b == a % b;
}
