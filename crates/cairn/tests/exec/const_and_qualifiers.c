// Qualifiers in declarators, complex declarators and casts between them.
#include <stdio.h>

static const int ro[3] = { 1, 2, 3 };
static const char *const names[] = { "a", "b" };
static int *(*const getters[2])(int);
static int pool[4] = { 10, 20, 30, 40 };

static int *get(int i) { return &pool[i]; }
static int (*row(int (*m)[2], int i))[2] { return m + i; }
static int (*(*chain(void))(int (*)[2], int))[2] { return row; }
static int apply(int (*const fn)(int), int x) { return fn(x); }
static int neg(const int x) { return -x; }
static char (*strs(void))[4] { static char s[2][4] = { "abc", "xyz" }; return s; }
static long sum(int n, const long v[const]) { return n ? v[n - 1] + sum(n - 1, v) : 0; }

int main(void)
{
    const int *p = ro;
    int *const cp = pool;
    const int *const cpc = &ro[2];
    *cp = 11;
    p++;
    printf("%d %d %d\n", *p, pool[0], *cpc);
    int *(*fp)(int) = get;
    *fp(1) = 21;
    printf("%d\n", pool[1]);
    int m[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    printf("%d %d\n", (*row(m, 1))[0], (*chain()(m, 2))[1]);
    int (*(*table[2])(int (*)[2], int))[2] = { row, row };
    printf("%d\n", (*table[1](m, 0))[1]);
    printf("%d\n", apply(neg, 5));
    printf("%s %c\n", strs()[1], (*strs())[2]);
    long v[] = { 1, 20, 300 };
    printf("%ld\n", sum(3, v));
    int *(*(*pfp))(int) = &fp;
    printf("%d\n", *(*pfp)(2));
    int x = 5;
    const int *view = &x;
    x = 6;
    printf("%d\n", *view);
    *(int *)view = 7;
    printf("%d\n", x);
    volatile const unsigned char vc = 200;
    printf("%d\n", vc + 100);
    const struct { int a; const int *p; } cs = { 3, &x };
    printf("%d %d\n", cs.a, *cs.p);
    char *argv_like[] = { "x", "yy", 0 }, **const pp = argv_like;
    int n = 0;
    while (pp[n])
        n++;
    printf("%d %s\n", n, *(pp + 1));
    int (*arrp)[3] = (int (*)[3])pool, (*fnp)(const char *, ...) = printf;
    fnp("%d %d\n", (*arrp)[2], (int)sizeof *arrp);
    printf("%s %d\n", names[1], getters[0] == 0);
    return 0;
}
