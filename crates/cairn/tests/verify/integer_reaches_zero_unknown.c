// An integer that began as an address may become any other, 0 as well.
//= memsafety: UNKNOWN
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    int x;
    unsigned long at = (unsigned long)&x, n = __VERIFIER_nondet_ulong();
    if (at - n == 0)
        *(int *)0 = 1;
    return 0;
}
