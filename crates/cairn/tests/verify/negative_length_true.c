// An array of negative length has no elements.
//= memsafety: TRUE
//@ negative = memsafety: FALSE(valid-deref)
//@ product = memsafety: FALSE(valid-deref)
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n != 5 || m != 3)
//@ negative: if (n != -5 || m != 3)
//@ product: if (n != -5 || m != -3)
        return 0;
    int a[n][m];
    a[0][0] = 1;
    a[2][1] = 2;
    return a[0][0] - 1;
}
