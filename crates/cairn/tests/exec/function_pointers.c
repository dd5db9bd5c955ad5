// Function pointers: tables, returned, pointers to pointers, *f and &f calls.
#include <stdio.h>

typedef int (*binop)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static const struct { char sym; binop fn; } ops[] = { { '+', add }, { '-', sub }, { '*', &mul } };

static binop find(char c)
{
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].sym == c)
            return ops[i].fn;
    return 0;
}

static int (*raw(int which))(int, int)
{
    return which ? mul : add;
}

static int apply(int f(int, int), int a, int b) { return f(a, b); }

static int fold(binop f, const int *v, int n, int init)
{
    for (int i = 0; i < n; i++)
        init = f(init, v[i]);
    return init;
}

static void set(binop *where, binop f) { *where = f; }

struct shape {
    double (*area)(const struct shape *);
    double w, h;
};
static double box(const struct shape *s) { return s->w * s->h; }
static double tri(const struct shape *s) { return s->w * s->h / 2; }
static void nothing(void) { puts("nothing"); }
static char narrow(int x) { return x; }
static double widen(float f) { return f; }

int main(void)
{
    binop f = add;
    printf("%d %d %d %d\n", f(5, 3), (*f)(5, 3), (**f)(5, 3), (&sub)(5, 3));
    printf("%d %d\n", find('-')(10, 4), find('?') == 0);
    printf("%d %d\n", raw(0)(6, 7), raw(1)(6, 7));
    printf("%d %d\n", apply(sub, 1, 2), apply(&mul, 3, 4));
    int v[] = { 1, 2, 3, 4 };
    printf("%d %d\n", fold(mul, v, 4, 1), fold(sub, v, 4, 0));
    binop *pp = &f;
    set(pp, mul);
    printf("%d %d\n", (*pp)(8, 8), f == mul);
    binop arr[2][2] = { { add, sub }, { mul, add } };
    printf("%d\n", arr[1][0](arr[0][0](1, 2), arr[0][1](9, 4)));
    struct shape s[] = { { box, 3, 4 }, { tri, 3, 4 } };
    for (int i = 0; i < 2; i++)
        printf("%g ", s[i].area(&s[i]));
    putchar('\n');
    void (*n)(void) = v[0] ? nothing : 0;
    n();
    printf("%d %g\n", narrow(300), widen(0.1));
    void *opaque = (void *)sub;
    printf("%d\n", ((int (*)(int, int))opaque)(7, 9));
    printf("%d %d\n", (v[0] > 0 ? add : sub)(2, 2), f != add && f);
    binop (*getter)(char) = find;
    printf("%d\n", getter('*')(getter('+')(1, 1), 5));
    return 0;
}
