// A transparent union is passed as its first member: functions may be declared with either.
#include <stdio.h>

struct other {
    int value;
};

typedef union {
    int *number;
    const struct other *other;
    void *any;
} argument __attribute__((transparent_union));

int first(argument);
int second(int *);
int third(int, argument, double);

static int early(int *p)
{
    // Before the definition with the plain pointer is seen.
    return first(p) + second(p) + third(1, p, 0.5);
}

int first(int *p)
{
    return *p;
}

int second(argument a)
{
    return *a.number + 10;
}

int third(int scale, argument a, double more)
{
    argument copy = a;
    copy.any = (char *)copy.any;
    return scale * copy.other->value + (int)(more * 200);
}

int main(void)
{
    int number = 5;
    struct other other = {7};
    void *any = &number;
    argument whole;
    whole.number = &number;
    int (*pointer)(argument) = second;
    printf("%d\n", early(&number));
    printf("%d %d %d\n", first(any), second(any), third(2, &other, 1.5));
    printf("%d %d\n", pointer(&number), pointer(whole));
    return 0;
}
