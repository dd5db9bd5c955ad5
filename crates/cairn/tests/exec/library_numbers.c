// Random numbers, sorting with a comparison that prints, ranges of strtod and strtof, parts of floating numbers.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    printf("<%d %d>", x, y);
    return (x > y) - (x < y);
}

struct wide { int key; char text[60]; };

static int by_key(const void *a, const void *b)
{
    return ((const struct wide *)a)->key - ((const struct wide *)b)->key;
}

static void number(const char *text)
{
    char *end;
    errno = 0;
    double d = strtod(text, &end);
    printf("%.17g %td %s; ", d, end - text, errno == ERANGE ? "range" : "-");
    errno = 0;
    float f = strtof(text, &end);
    printf("%.9g %td %s; ", f, end - text, errno == ERANGE ? "range" : "-");
    errno = 0;
    long double l = strtold(text, &end);
    printf("%.21Lg %td %s\n", l, end - text, errno == ERANGE ? "range" : "-");
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        printf("%d ", rand());
    srand(2024);
    for (int i = 0; i < 40; i++)
        printf("%d ", rand() % 100);
    unsigned seed = 7;
    printf("%d %d\n", rand_r(&seed), rand_r(&seed));

    int values[] = { 5, 3, 9, 1, 5, 0, 7 };
    qsort(values, 7, sizeof values[0], by_value);
    for (int i = 0; i < 7; i++)
        printf(" %d", values[i]);
    putchar('\n');
    struct wide wide[20];
    for (int i = 0; i < 20; i++) {
        wide[i].key = i * 7 % 5;
        sprintf(wide[i].text, "w%d", i);
    }
    qsort(wide, 20, sizeof wide[0], by_key);
    for (int i = 0; i < 20; i++)
        printf("%d%s ", wide[i].key, wide[i].text);
    putchar('\n');

    number("0.1");
    number("1e400");
    number("-1e-400");
    number("1e39x");
    number("16777217");
    number("0x1.fffffffp+2");
    number("  +12.5e+");
    number("nan");
    number("abc");
    number("0.0000000000000000000000000000000000000000000000001");
    number("1.00000017881393432617187499");

    int e;
    double whole;
    double part = frexp(40.0, &e);
    printf("%g %d ", part, e);
    part = frexp(5e-324, &e);
    printf("%g %d ", part, e);
    part = modf(-3.75, &whole);
    printf("%g %g ", part, whole);
    printf("%g %g %g ", ldexp(0.75, 4), ldexp(1, -1074), ldexp(1, 1024));
    printf("%ld %ld %g %d %g\n", lround(2.5), lrint(2.5), nearbyint(3.5), ilogb(100.0), logb(0.1));
    printf("%.17g %.9g\n", nextafter(1, 2), nextafterf(1, 0));
    printf("%d %ld %lld\n", abs(-5), labs(-6L), llabs(-7LL));
    div_t q = div(-17, 5);
    ldiv_t r = ldiv(17, -5);
    printf("%d %d %ld %ld\n", q.quot, q.rem, r.quot, r.rem);
    return 0;
}
