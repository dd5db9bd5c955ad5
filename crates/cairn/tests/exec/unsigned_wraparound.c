// Unsigned arithmetic wraps at every width; narrow stores truncate.
// lp64 only
#include <stdio.h>
#include <stdint.h>
#include <limits.h>

int main(void)
{
    unsigned u = UINT_MAX;
    unsigned long ul = ULONG_MAX;
    unsigned char uc = UCHAR_MAX;
    unsigned short us = USHRT_MAX;

    printf("%u %lu\n", u + 1, ul + 1);
    printf("%u %lu\n", u * u, ul * ul);
    printf("%u %lu\n", 0 - 1u, 0 - 1ul);
    u++, ul++, uc++, us++;
    printf("%u %lu %d %d\n", u, ul, uc, us);
    u--, ul--, uc--, us--;
    printf("%u %lu %d %d\n", u, ul, uc, us);
    uc += 10;
    us -= 65530;
    printf("%d %d\n", uc, us);
    uc *= uc;
    us *= 1000;
    printf("%d %d\n", uc, us);
    uint32_t h = 2166136261u;
    for (const char *p = "wraparound"; *p; p++)
        h = (h ^ (uint8_t)*p) * 16777619u;
    printf("%08x\n", h);
    uint64_t s = 88172645463325252ULL;
    for (int i = 0; i < 5; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        printf("%016lx\n", s);
    }
    uint64_t f = 1;
    for (int i = 1; i < 30; i++)
        f *= i;
    printf("%lu\n", f);
    unsigned a = 3, b = 5;
    printf("%u %d %d\n", a - b, a - b > 0, (int)(a - b) < 0);
    printf("%d\n", (unsigned char)(uc - 1) == 255);
    unsigned __int128 w = -1;
    w += 2;
    printf("%llu\n", (unsigned long long)w);
    return 0;
}
