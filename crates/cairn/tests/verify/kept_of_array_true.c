// No more elements are kept than were looked at.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      As many may be kept as there are in the other array.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 1 || m > 100000000 || n < 1 || n > 100000000)
        return 0;
    int *a = __builtin_alloca(m * sizeof(int)), *b = __builtin_alloca(n * sizeof(int)), *kept = __builtin_alloca(m * sizeof(int));
//@ broken: int *a = __builtin_alloca(m * sizeof(int)), *b = __builtin_alloca(n * sizeof(int)), *kept = __builtin_alloca(n * sizeof(int));
    for (int i = 0; i < m; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        b[i] = __VERIFIER_nondet_int();
    int k = 0;
    for (int i = 0; i < m; i++) {
        int found = 0;
        for (int j = 0; j < n && !found; j++)
            found = a[i] == b[j];
        if (!found)
            kept[k++] = a[i];
    }
    return 0;
}
