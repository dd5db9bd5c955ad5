// Nested functions capturing variables, called directly and through pointers.
#include <stdio.h>

static void each(const int *v, int n, void (*fn)(int))
{
    for (int i = 0; i < n; i++)
        fn(v[i]);
}

static int twice(int (*fn)(int), int x) { return fn(fn(x)); }

static int outer(int base)
{
    int calls = 0;
    int scale(int x)
    {
        calls++;
        return x * base;
    }
    int r = scale(3) + scale(4);
    base = 100;
    r += scale(1);
    return r * 10 + calls;
}

static int depth(int n)
{
    int mine = n;
    int get(void) { return mine; }
    auto int later(int);
    int r = n ? depth(n - 1) + get() : get();
    r += later(1);
    int later(int k) { return k + mine; }
    return r;
}

static int through(int n, int (*prev)(void))
{
    int cur(void) { return n; }
    if (n == 3)
        return through(n - 1, cur);
    if (n > 0)
        return through(n - 1, prev);
    return prev() * 10 + cur();
}

int main(void)
{
    int v[] = { 5, 1, 4, 2 }, total = 0, max = v[0];
    void visit(int x)
    {
        total += x;
        if (x > max)
            max = x;
    }
    each(v, 4, visit);
    printf("%d %d\n", total, max);
    printf("%d %d\n", outer(2), outer(5));
    int k = 7;
    int addk(int x) { return x + k; }
    printf("%d ", twice(addk, 1));
    k = 100;
    printf("%d\n", twice(addk, 1));
    printf("%d\n", depth(4));
    printf("%d\n", through(5, 0));
    int level1(int a)
    {
        int level2(int b)
        {
            total += a * b;
            return a + b + k;
        }
        return level2(a + 1) + level2(a + 2);
    }
    printf("%d ", level1(2));
    printf("%d\n", total);
    int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
    printf("%d\n", fact(6));
    return 0;
}
