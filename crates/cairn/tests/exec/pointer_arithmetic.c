// Pointer comparison, difference, negative indices and pointers to arrays.
#include <stdio.h>
#include <stddef.h>

struct s { char c; double d; };

static int sum(const int *begin, const int *end)
{
    int s = 0;
    while (begin != end)
        s += *begin++;
    return s;
}

static int *mid(int *a, int n) { return a + n / 2; }

int main(void)
{
    int a[10];
    for (int i = 0; i < 10; i++)
        a[i] = i * 3;
    int *p = &a[2], *q = &a[7], *end = a + 10;
    printf("%td %td %d\n", q - p, p - q, (int)(end - a));
    printf("%d %d %d %d\n", p < q, p >= q, p == a + 2, end > q);
    printf("%d\n", sum(p, q));
    int *m = mid(a, 10);
    printf("%d %d %d %d\n", m[0], m[-1], m[-5], *(m - 2));
    printf("%d %d\n", -1[m], (-1)[m]);
    int i = -3;
    printf("%d %d\n", m[i], m[i + 7]);
    unsigned u = 2;
    printf("%d %d\n", m[u], *(m + (int)(u - 4)));
    struct s arr[4] = { { 'a', 1 }, { 'b', 2 }, { 'c', 3 }, { 'd', 4 } }, *ps = arr + 3;
    printf("%c %g %td\n", ps[-2].c, (ps - 1)->d, ps - arr);
    printf("%td\n", (char *)ps - (char *)arr);
    int (*pa)[10] = &a;
    printf("%d %zu %td\n", (*pa)[4], sizeof *pa, (int *)(pa + 1) - a);
    char *bytes = (char *)a;
    bytes += 4 * sizeof(int);
    printf("%d\n", *(int *)bytes);
    void *v = a;
    v += sizeof(int);
    v++;
    printf("%td\n", (char *)v - (char *)a);
    const char *s = "walk", *e = s;
    while (*e)
        e++;
    while (e > s)
        putchar(*--e);
    putchar('\n');
    int *null = NULL, *none = 0;
    printf("%d %d %d\n", null == none, !null, p != NULL);
    int **pp = &p;
    *pp += 1;
    **pp = 100;
    printf("%d %td\n", a[3], *pp - a);
    int *ptrs[3] = { a, a + 1, a + 2 }, **walk = ptrs;
    printf("%d ", **++walk);
    printf("%d\n", *walk[1]);
    for (int *it = a + 9; it > a + 5; it -= 2)
        printf("%d ", *it);
    putchar('\n');
    ptrdiff_t d = &a[1] - &a[9];
    printf("%td %d\n", d, d < 0);
    return 0;
}
