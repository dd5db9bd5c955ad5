// __int128: arithmetic, conversions to and from floating point, printing by digits.
// lp64 only
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void put(i128 v)
{
    char buf[64];
    int n = 63;
    u128 u = v < 0 ? -(u128)v : (u128)v;
    buf[n] = 0;
    do {
        buf[--n] = '0' + (int)(u % 10);
        u /= 10;
    } while (u);
    if (v < 0)
        buf[--n] = '-';
    puts(buf + n);
}

static i128 power(i128 b, int e)
{
    i128 r = 1;
    while (e-- > 0)
        r *= b;
    return r;
}

int main(void)
{
    put(0);
    put(-1);
    put(power(10, 38));
    put(power(-3, 79));
    put(power(7, 45) / power(11, 20));
    put(power(7, 45) % power(11, 20));
    put(-power(7, 45) % power(11, 20));
    put((i128)1 << 126);
    put((i128)(((u128)1 << 127) - 1));
    put((i128)((u128)1 << 127));
    put((i128)1e30);
    put((i128)-1e20f);
    put((i128)12345678901234567890.0L);
    printf("%.3f\n", (double)power(10, 25));
    printf("%.3f\n", (double)(u128)-1);
    printf("%.1Lf\n", (long double)power(10, 19));
    printf("%.1f\n", (float)power(2, 100));
    printf("%d %d\n", power(2, 90) > power(3, 56), (i128)-1 < 0u);
    printf("%d %d\n", (u128)-1 > 0, (int)power(10, 20));
    put((i128)-1 + 1u);
    put((long)-1 * (i128)5);
    put((u128)0xffffffffu * 0xffffffffu);
    put((u128)0xffffffffffffffffUL * 0xffffffffffffffffUL);
    put(~(i128)5 & 0xff);
    put((i128)5 ^ -8);
    printf("%zu %zu\n", sizeof(i128), _Alignof(i128));
    i128 a[3] = { 1, [2] = -9 };
    a[1] = a[0]++ + a[2]--;
    put(a[0]), put(a[1]), put(a[2]);
    return 0;
}
