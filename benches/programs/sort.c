// Quicksort, insertion sort and merge sort on int arrays; prints a checksum.
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 20000, SMALL = 400 };

static int source[COUNT], work[COUNT], scratch[COUNT];

static void fill(unsigned seed)
{
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1103515245u + 12345u;
        source[i] = (int)(seed >> 4) - (1 << 27);
    }
}

static void copy(int n)
{
    for (int i = 0; i < n; i++)
        work[i] = source[i];
}

static void insertion_sort(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}

static void quick_sort(int *a, int lo, int hi)
{
    while (hi - lo > 12) {
        int pivot = a[lo + (hi - lo) / 2], i = lo, j = hi;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        quick_sort(a, lo, j);
        lo = i;
    }
    if (lo < hi)
        insertion_sort(a + lo, hi - lo + 1);
}

static void merge_sort(int *a, int n)
{
    if (n < 2)
        return;
    int half = n / 2, i = 0, j = half, k = 0;
    merge_sort(a, half);
    merge_sort(a + half, n - half);
    while (i < half && j < n)
        scratch[k++] = a[i] <= a[j] ? a[i++] : a[j++];
    while (i < half)
        scratch[k++] = a[i++];
    while (j < n)
        scratch[k++] = a[j++];
    for (k = 0; k < n; k++)
        a[k] = scratch[k];
}

static unsigned digest(int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        if (i && work[i - 1] > work[i]) {
            puts("not sorted");
            exit(1);
        }
        sum = sum * 33 ^ (unsigned)work[i];
    }
    return sum;
}

int main(void)
{
    unsigned checksum = 0;
    for (unsigned round = 0; round < 50; round++) {
        fill(round * 77 + 1);
        copy(COUNT);
        quick_sort(work, 0, COUNT - 1);
        checksum += digest(COUNT);
        copy(COUNT);
        merge_sort(work, COUNT);
        checksum = checksum * 5 + digest(COUNT);
        copy(SMALL);
        insertion_sort(work, SMALL);
        checksum ^= digest(SMALL);
    }
    printf("%u\n", checksum);
    return 0;
}
