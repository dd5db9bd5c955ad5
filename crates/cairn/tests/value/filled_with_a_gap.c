// A loop that skips an element leaves it uninitialised, although its counter reaches the end.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = 4 + (__VERIFIER_nondet_int() & 3);
    int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc((n + 1) * sizeof *c);
    for (int i = 0; i < n; i++) {
        if (i != 2)
            a[i] = i;
        b[i] = i;
        c[i] = i;
    }
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i];
    if (c[n - 1] > 100)
        sum++;
    if (c[n] > 100)
        sum++;
    if (a[2] > 3)
        sum++;
    free(a), free(b), free(c);
    return sum & 1;
}
