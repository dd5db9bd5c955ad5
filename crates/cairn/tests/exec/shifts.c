// Left and right shifts: result type, sign, compound forms, wide counts types.
// lp64 only
#include <stdio.h>
#include <stdint.h>

int main(void)
{
    int neg = -17;
    unsigned big = 0xF0000001u;
    unsigned char uc = 0x81;
    signed char sc = -127;
    unsigned long ul = 1;
    long l = -1024;
    unsigned long long count = 5;

    for (int k = 0; k < 32; k += 5)
        printf("%d: %d %u %u\n", k, neg >> k, big >> k, big << k);
    printf("%d %zu\n", uc << 1, sizeof(uc << 1));
    printf("%d %d\n", sc >> 1, uc >> 1);
    printf("%zu %zu\n", sizeof(1 << 1LL), sizeof(1L << 1));
    printf("%lx\n", ul << 63);
    printf("%ld %ld\n", l >> 3, l >> 63);
    printf("%d\n", 1 << count);
    printf("%u\n", (1u << 31) >> 31);
    uc <<= 1;
    printf("%d\n", uc);
    uc = 0xff;
    uc >>= 3;
    printf("%d\n", uc);
    sc >>= 2;
    printf("%d\n", sc);
    ul <<= 40;
    printf("%lu\n", ul);
    ul >>= 35;
    printf("%lu\n", ul);
    uint64_t rot = 0x0123456789abcdefULL;
    for (int k = 4; k < 64; k += 20)
        printf("%016lx\n", (rot << k) | (rot >> (64 - k)));
    uint16_t h = 0xbeef;
    printf("%x\n", (uint16_t)((h << 4) | (h >> 12)));
    __int128 w = 1;
    w <<= 100;
    printf("%llx %llx\n", (unsigned long long)(w >> 64), (unsigned long long)(w >> 37));
    w = -1;
    printf("%lld\n", (long long)(w >> 127));
    unsigned __int128 uw = -1;
    printf("%lld\n", (long long)(uw >> 127));
    return 0;
}
