// Initial values of static objects that use constant objects, shifts that are too far, and numbers out of range, as gcc folds them.
#include <stdio.h>

static const int five = 5;
static int copy = five;
static const int more = five * 2 + 1;
static int array[] = { five, more };
const char letter = 0x42;
double real = letter, next = 1 + (double)letter;
static const double half = 0.5;
static double quarter = half * half;
static const char *const text = "text";
static const char *same = text;
static const char *tail = text + 2;
static int gone = 1 << 40;
static int sign = -1 >> 40;
static unsigned none = 1u << 32;

static int nearest(void)
{
    return (int)2147483648.0f;
}

int main(void)
{
    static const long inner = 3;
    static long twice = inner * 2;
    printf("%d %d %d %d\n", copy, more, array[0], array[1]);
    printf("%g %g %g\n", real, next, quarter);
    printf("%s %s %ld\n", same, tail, twice);
    printf("%d %d %u %d\n", gone, sign, none, nearest());
    return 0;
}
