// The copy runs past the end, but only when none of the fifty thousand numbers is zero.
//= memsafety: FALSE(valid-deref)
int __VERIFIER_nondet_int(void);
int main(void) {
    int from[50000], to[50000], n = 0;
    for (int i = 0; i < 50000; i++)
        from[i] = __VERIFIER_nondet_int();
    while (from[n] != 0) {
        to[n] = from[n];
        n++;
    }
    return n > 0 && to[0] == 0;
}
