// Short-circuit && and ||, comma operator, ternary with omitted middle operand.
#include <stdio.h>

static int calls;

static int note(const char *name, int value)
{
    calls++;
    printf("%s ", name);
    return value;
}

static int *maybe(int *p) { calls++; return p; }

int main(void)
{
    int r;
    r = note("a", 0) && note("b", 1);
    printf("= %d\n", r);
    r = note("a", 2) && note("b", 3);
    printf("= %d\n", r);
    r = note("a", 0) || note("b", 5);
    printf("= %d\n", r);
    r = note("a", 7) || note("b", 0);
    printf("= %d\n", r);
    r = note("a", 0) || note("b", 1) && note("c", 0) || note("d", 1);
    printf("= %d\n", r);
    r = (note("a", 1), note("b", 2), note("c", 3));
    printf("= %d\n", r);
    r = note("q", 1) ? note("y", 10) : note("n", 20);
    printf("= %d\n", r);
    r = note("q", 0) ? note("y", 10) : note("p", 0) ? note("z", 30) : note("w", 40);
    printf("= %d\n", r);
    r = note("once", 9) ?: note("never", 1);
    printf("= %d\n", r);
    r = note("zero", 0) ?: note("taken", 4);
    printf("= %d\n", r);
    int x = 5, other = 6;
    int *p = maybe(0) ?: maybe(&x);
    printf("%d %d\n", *p, calls);
    p = maybe(&other) ?: maybe(&x);
    printf("%d %d\n", *p, calls);
    int i, j;
    for (i = 0, j = 10; i < j; i++, j--)
        ;
    printf("%d %d\n", i, j);
    int *null = 0;
    if (null && *null)
        puts("bad");
    if (!null || *null)
        puts("ok");
    printf("%d %d\n", 3.5 && 0.5, 0.0 || "s");
    printf("%d\n", !(x > 3 && x < 6));
    x = (i = 3, i + 1) * 2;
    printf("%d\n", x);
    double d = x ?: 1.5;
    printf("%g\n", d);
    printf("%d\n", calls);
    return 0;
}
