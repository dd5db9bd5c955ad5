// Integer constants in all bases and suffixes, enum values, constant expressions.
#include <stdio.h>

enum basic { A, B, C = 10, D, E = -5, F, G = C + D, H = 1 << 4, I = 'x' };
enum wide { BIG = 0x7fffffff, NEG = -2147483647 - 1 };
enum chain { K0 = sizeof(int), K1 = K0 * 2, K2 = K1 > 5 ? 100 : 200, K3 = (char)300, K4 = !K3 };

static int table[K1 + 1];
static char sized[sizeof(long) == 8 ? 12 : 6];
static int init = (3 + 4) * 5 % 8 | 0x40 & ~1;
static double dinit = 1.5 * 4 + 1 / 2;
static unsigned uinit = -1;
static long linit = 1L << 40;

int main(void)
{
    printf("%d %d %d %d %d %d %d %d %d\n", A, B, C, D, E, F, G, H, I);
    printf("%d %d\n", BIG, NEG);
    printf("%d %d %d %d %d\n", K0, K1, K2, K3, K4);
    printf("%zu %zu\n", sizeof table / sizeof *table, sizeof sized);
    printf("%d %g %u %ld\n", init, dinit, uinit, linit);
    printf("%d %d %d %d\n", 255, 0377, 0xff, 0b11111111);
    printf("%d %d\n", 0, 00);
    printf("%zu %zu %zu %zu\n", sizeof 1, sizeof 1L, sizeof 1LL, sizeof 1u);
    printf("%zu %zu %zu\n", sizeof 4294967295, sizeof 0xffffffff, sizeof 037777777777);
    printf("%zu %zu\n", sizeof 2147483648, sizeof 0x80000000);
    printf("%llu %lu %lu\n", 18446744073709551615ULL, 0xFFFFul, 1Lu);
    printf("%lld\n", 0x7fffffffffffffffLL);
    printf("%d %d\n", 0xABCDEF, 0xabcdef);
    printf("%zu %zu\n", sizeof(enum basic), sizeof A);
    enum basic e = 42;
    printf("%d\n", e);
    e = F;
    e++;
    printf("%d %d\n", e, e == F + 1);
    enum { LOCAL = 7, OTHER };
    {
        enum { LOCAL = 70 };
        printf("%d %d\n", LOCAL, OTHER);
    }
    printf("%d\n", LOCAL);
    switch (D) {
    case C + 1: puts("eleven"); break;
    default: puts("other");
    }
    enum later { X1 = 3, X2 = X1 + LOCAL } z = X2;
    printf("%d\n", z);
    return 0;
}
