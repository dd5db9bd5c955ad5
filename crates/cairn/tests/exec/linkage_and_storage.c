// Tentative definitions, static locals, extern in blocks, register, volatile.
#include <stdio.h>

int tentative;
int tentative;
extern int tentative;
int tentative = 5;
static int internal;
static int internal;
int later[];
extern int defined_below;
extern int func_below(int);

static int counter(void)
{
    static int n = 10;
    static char initials[] = "abc";
    initials[0]++;
    return n++ * 1000 + initials[0];
}

static int other_counter(void)
{
    static int n;
    {
        static int n = 50;
        n += 5;
        printf("inner %d ", n);
    }
    return ++n;
}

static int recurse(int d)
{
    static int depth, max;
    if (++depth > max)
        max = depth;
    if (d > 0)
        recurse(d - 1);
    depth--;
    return max;
}

int main(void)
{
    printf("%d %d %d\n", tentative, internal, later[0]);
    {
        extern int defined_below;
        int tentative = 9;
        {
            extern int tentative;
            tentative++;
            printf("%d\n", tentative);
        }
        printf("%d %d\n", tentative, defined_below);
    }
    for (int i = 0; i < 3; i++)
        printf("%d ", counter());
    putchar('\n');
    printf("%d\n", other_counter());
    printf("%d\n", other_counter());
    printf("%d ", recurse(6));
    printf("%d\n", recurse(2));
    int func_below(int);
    printf("%d\n", func_below(4));
    register int r = 3;
    volatile int v = 4;
    v += r;
    v++;
    const volatile int cv = 6;
    printf("%d %d %d\n", r, v, cv);
    auto int au = 1;
    int *const restrict rp = &au;
    *rp = 12;
    printf("%d\n", au);
    return 0;
}

int defined_below = 321;
int func_below(int x) { return x + defined_below + internal; }
