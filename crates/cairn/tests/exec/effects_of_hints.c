// What stands in the operands of hints and of empty assembly is evaluated once.
#include <stdio.h>

static int count;

static int *counted(void)
{
    static int cell = 4;
    count++;
    return &cell;
}

int main(void)
{
    int z = 10, x = 1, y = 0;
    if (__builtin_expect(x ? y != 0 : 0, z++))
        puts("unlikely");
    printf("%d\n", z);
    __asm__("" : "+r"(*counted()));
    __asm__ volatile("" : : "r"(counted()), "m"(x) : "memory");
    printf("%d\n", count);
    return 0;
}
