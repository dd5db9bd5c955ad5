// Uses the old length after the block was made smaller.
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);

int main(void) {
    int n = 10;
    long *a = malloc(n * sizeof *a);
    if (!a) return 1;
    for (int i = 0; i < n; i++)
        a[i] = i;
    a = realloc(a, 4 * sizeof *a);
    if (!a) return 1;
    a[n - 1] = 0; //~ out-of-bounds
    free(a);
    return 0;
}
