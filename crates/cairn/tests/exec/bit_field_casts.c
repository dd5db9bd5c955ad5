// A bit-field that is cast to its own type is promoted as that type.
#include <stdio.h>

struct bits { signed int i : 7; unsigned int u : 7; unsigned long long wide : 20; _Bool flag : 1; };

int main(void)
{
    struct bits b = { -13, 61, 5, 1 };
    int i = -13;
    printf("%d %d\n", i % b.u, b.i % b.u);
    printf("%u %u\n", i % (unsigned int)b.u, b.i % (unsigned int)b.u);
    printf("%d %d\n", i < b.u, i < (unsigned int)b.u);
    printf("%d %d\n", -1 < b.wide, -1 < (unsigned long long)b.wide);
    printf("%d %d %d\n", (int)sizeof(+b.flag), (int)sizeof((_Bool)b.flag), -b.flag);
    printf("%d\n", (int)sizeof((unsigned char)b.u + 0));
    return 0;
}
