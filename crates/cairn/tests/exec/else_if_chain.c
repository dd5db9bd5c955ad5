// Long else-if chains, dangling else, conditions with assignments.
#include <stdio.h>

static const char *grade(int s)
{
    if (s < 0)
        return "invalid";
    else if (s < 10)
        return "J";
    else if (s < 20)
        return "I";
    else if (s < 30)
        return "H";
    else if (s < 40)
        return "G";
    else if (s < 50)
        return "F";
    else if (s < 60)
        return "E";
    else if (s < 70)
        return "D";
    else if (s < 80)
        return "C";
    else if (s < 90)
        return "B";
    else if (s <= 100)
        return "A";
    else
        return "over";
}

static int dangling(int a, int b)
{
    if (a)
        if (b)
            return 1;
        else
            return 2;
    return 3;
}

int main(void)
{
    for (int s = -5; s < 110; s += 7)
        printf("%d:%s ", s, grade(s));
    putchar('\n');
    printf("%d %d %d %d\n", dangling(0, 0), dangling(0, 1), dangling(1, 0), dangling(1, 1));
    int x;
    if ((x = 5) > 4)
        printf("x %d\n", x);
    if (x = 0)
        puts("bad");
    else if (!x)
        puts("zero");
    if (x == 0)
        ;
    else
        puts("bad");
    if (-0.0)
        puts("bad");
    if (0.001f)
        puts("nonzero float");
    if ("")
        puts("literal is true");
    if (main)
        puts("function is true");
    return 0;
}
