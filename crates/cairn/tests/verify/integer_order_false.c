// Distances between integers may exceed half of all numbers.
//= memsafety: FALSE(valid-deref)
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    int x;
    unsigned long at = (unsigned long)&x, n = __VERIFIER_nondet_ulong();
    if (n == 1ul << 63 && at < at + n)
        *(int *)0 = 1;
    return 0;
}
