// The copy stops at the end even when none of the fifty thousand numbers is zero.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      The copy runs past the end, but only when none of the fifty thousand numbers is zero.
int __VERIFIER_nondet_int(void);
int main(void) {
    int from[50000], to[50000], n = 0;
    for (int i = 0; i < 50000; i++)
        from[i] = __VERIFIER_nondet_int();
    while (n < 50000 && from[n] != 0) {
//@ broken: while (from[n] != 0) {
        to[n] = from[n];
        n++;
    }
    return n > 0 && to[0] == 0;
}
