// Bit-counting and byte-swapping builtins in int, long and long long forms.
// lp64 only
#include <stdio.h>
#include <stdint.h>

int main(void)
{
    unsigned v[] = { 1, 2, 3, 0x80000000u, 0xffffffffu, 0x00f0f000u, 0x12345678u };
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
        printf("%08x: clz %d ctz %d pop %d ffs %d par %d clrsb %d\n", v[i], __builtin_clz(v[i]),
               __builtin_ctz(v[i]), __builtin_popcount(v[i]), __builtin_ffs(v[i]),
               __builtin_parity(v[i]), __builtin_clrsb(v[i]));
    unsigned long w[] = { 1, 0x8000000000000000ul, 6, 0x00ff00ff00ff00fful };
    for (unsigned i = 0; i < sizeof w / sizeof *w; i++) {
        printf("%016lx: %d %d %d %d %d\n", w[i], __builtin_clzl(w[i]), __builtin_ctzl(w[i]),
               __builtin_popcountl(w[i]), __builtin_ffsl(w[i]), __builtin_parityl(w[i]));
        printf("%016lx: %d %d %d %d %d\n", w[i], __builtin_clzll(w[i]), __builtin_ctzll(w[i]),
               __builtin_popcountll(w[i]), __builtin_ffsll(w[i]), __builtin_parityll(w[i]));
    }
    printf("%d %d %d\n", __builtin_popcount(0), __builtin_ffs(0), __builtin_ffsll(0));
    printf("%d %d\n", __builtin_clrsbl(-1), __builtin_clrsbll(0));
    printf("%x %x %lx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678),
           __builtin_bswap64(0x0102030405060708ul));
    uint16_t h = 0xff00;
    printf("%x %zu\n", __builtin_bswap16(h), sizeof __builtin_bswap16(h));
    printf("%x\n", __builtin_bswap16(0xabcd1234));
    printf("%d\n", __builtin_popcount(-1));
    printf("%d\n", __builtin_popcountl(-1));
    int log2 = 31 - __builtin_clz(100000);
    printf("%d\n", log2);
    unsigned x = 0xb4;
    while (x) {
        printf("%d ", __builtin_ctz(x));
        x &= x - 1;
    }
    putchar('\n');
    enum { FOLDED = __builtin_popcount(0xff) + __builtin_ctz(8) };
    static unsigned swapped = __builtin_bswap32(1);
    printf("%d %x\n", FOLDED, swapped);
    return 0;
}
