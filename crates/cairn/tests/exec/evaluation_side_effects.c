// One side effect per call argument list; sequencing points in full expressions.
#include <stdio.h>

static int trace;
static int rec(int x) { trace = trace * 10 + x; return x; }
static int add3(int a, int b, int c) { return a * 100 + b * 10 + c; }
static int *slot(int *a, int i) { rec(i); return &a[i]; }

int main(void)
{
    int i = 1, j = 5;
    printf("%d ", add3(i++, j, 3));
    printf("%d\n", i);
    printf("%d ", add3(7, --j, 0));
    printf("%d\n", j);
    int a[4] = { 0 };
    a[i++] = 9;
    printf("%d %d\n", a[2], i);
    *slot(a, 1) = 4;
    *slot(a, 0) += 2;
    (*slot(a, 3))++;
    printf("%d %d %d %d trace %d\n", a[0], a[1], a[2], a[3], trace);
    trace = 0;
    int r = (rec(1), rec(2)) + 5;
    printf("%d %d\n", r, trace);
    trace = 0;
    r = rec(1) && rec(2) && rec(3);
    printf("%d %d\n", r, trace);
    trace = 0;
    for (rec(1); trace < 10000; rec(3))
        rec(2);
    printf("%d\n", trace);
    trace = 0;
    if (rec(4) > 3 ? rec(5) : rec(6))
        rec(7);
    printf("%d\n", trace);
    trace = 0;
    int k = rec(1), l = rec(2), m[] = { rec(3) };
    printf("%d %d\n", trace, k + l + m[0]);
    i = 10;
    i = i++ < 20 ? i + 1 : 0;
    printf("%d\n", i);
    i = 3;
    while (i--)
        printf("%d ", i);
    printf("%d\n", i);
    unsigned u = 3;
    while (u-- > 0)
        printf("%u ", u);
    printf("%u\n", u);
    char buf[] = "abc", *p = buf, *q = buf;
    while ((*p++ = *q++ + 0))
        ;
    printf("%s %td\n", buf, p - buf);
    int n = 0;
    sizeof(n++);
    (void)sizeof(int[1]);
    printf("%d\n", n);
    volatile int v = 3;
    v;
    v = v + 1, v *= 2;
    printf("%d\n", v);
    return 0;
}
