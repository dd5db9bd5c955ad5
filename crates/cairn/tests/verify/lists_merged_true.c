// Where the result is written is the sum of where the two others are read, in each of three loops.
//= memsafety: TRUE
//@ broken = memsafety: FALSE(valid-deref)
//      One element too few.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);

int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 1 || m > 1000 || n < 1 || n > 1000)
        return 0;
    int *a = malloc(m * sizeof *a), *b = malloc(n * sizeof *b), *all = malloc((m + n) * sizeof *all);
//@ broken: int *a = malloc(m * sizeof *a), *b = malloc(n * sizeof *b), *all = malloc((m + n - 1) * sizeof *all);
    for (int i = 0; i < m; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int j = 0; j < n; j++)
        b[j] = __VERIFIER_nondet_int();
    int i = 0, j = 0, k = 0;
    while (i < m && j < n) {
        if (a[i] < b[j])
            all[k++] = a[i++];
        else
            all[k++] = b[j++];
    }
    while (i < m)
        all[k++] = a[i++];
    while (j < n)
        all[k++] = b[j++];
    free(a);
    free(b);
    free(all);
    return 0;
}
