// Insertion, quick, merge and radix sorts on LCG data agree.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60 };

static unsigned seed = 12345;
static int rnd(void) { return (seed = seed * 1664525u + 1013904223u) >> 20; }

static void insertion(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static void quick(int *a, int lo, int hi)
{
    if (lo >= hi)
        return;
    int p = a[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
        while (a[i] < p)
            i++;
        while (a[j] > p)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quick(a, lo, j);
    quick(a, i, hi);
}

static void merge(int *a, int n, int *tmp)
{
    if (n < 2)
        return;
    int h = n / 2, i = 0, j = h, k = 0;
    merge(a, h, tmp);
    merge(a + h, n - h, tmp);
    while (i < h || j < n)
        tmp[k++] = j >= n || (i < h && a[i] <= a[j]) ? a[i++] : a[j++];
    memcpy(a, tmp, n * sizeof *a);
}

static void radix(int *a, int n)
{
    int tmp[N];
    for (int shift = 0; shift < 12; shift += 4) {
        int count[17] = { 0 };
        for (int i = 0; i < n; i++)
            count[(a[i] >> shift & 15) + 1]++;
        for (int i = 0; i < 16; i++)
            count[i + 1] += count[i];
        for (int i = 0; i < n; i++)
            tmp[count[a[i] >> shift & 15]++] = a[i];
        memcpy(a, tmp, sizeof tmp);
    }
}

int main(void)
{
    int src[N], a[N], b[N], tmp[N];
    for (int i = 0; i < N; i++)
        src[i] = rnd();
    memcpy(a, src, sizeof a), insertion(a, N);
    for (int i = 0; i < N; i++)
        printf("%d%c", a[i], i % 12 == 11 ? '\n' : ' ');
    memcpy(b, src, sizeof b), quick(b, 0, N - 1);
    printf("%d\n", memcmp(a, b, sizeof a));
    memcpy(b, src, sizeof b), merge(b, N, tmp);
    printf("%d\n", memcmp(a, b, sizeof a));
    memcpy(b, src, sizeof b), radix(b, N);
    printf("%d\n", memcmp(a, b, sizeof a));
    return 0;
}
