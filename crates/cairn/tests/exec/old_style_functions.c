// K&R definitions, implicit int, implicit declarations, unprototyped calls.
#include <stdio.h>

add(a, b)
{
    return a + b;
}

static int mix(c, s, f, d, p)
    char c;
    short s;
    float f;
    double d;
    int *p;
{
    return c + s + (int)(f * 10) + (int)d + *p;
}

long wide(l, n)
    long l;
{
    while (n-- > 0)
        l *= 2;
    return l;
}

int (*choose(which))()
    int which;
{
    return which ? add : mix;
}

static counter;
const zero = 0;

struct pair { int a, b; };
struct pair swap(p)
    struct pair p;
{
    struct pair r = { p.b, p.a };
    return r;
}

int sum(v, n)
    int v[], n;
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}

main()
{
    int x = 1000;
    static y = 3;
    char c = 65;
    printf("%d %d\n", add(2, 3), mix(c, (short)-5, 0.25f, 7.9, &x));
    printf("%ld\n", wide(5L, 40));
    printf("%d\n", choose(1)(20, 22));
    printf("%d %d\n", later(9), counter + y + zero);
    struct pair p = { 1, 2 };
    p = swap(p);
    printf("%d %d\n", p.a, p.b);
    int v[] = { 4, 5, 6 };
    printf("%d\n", sum(v, 3));
    int (*unproto)() = add;
    printf("%d\n", unproto('a', (short)3));
    return 0;
}

int later(n)
    int n;
{
    return n * n;
}
