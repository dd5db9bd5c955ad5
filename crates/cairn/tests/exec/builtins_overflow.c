// __builtin_{add,sub,mul}_overflow across operand and result types.
// lp64 only
#include <stdio.h>
#include <limits.h>
#include <stdint.h>

#define TRY(op, a, b, T, fmt) do { \
        T r; \
        int o = __builtin_##op##_overflow((a), (b), &r); \
        printf("%s %s: %d " fmt "\n", #op, #T, o, r); \
    } while (0)

int main(void)
{
    TRY(add, INT_MAX, 1, int, "%d");
    TRY(add, INT_MAX, 0, int, "%d");
    TRY(sub, INT_MIN, 1, int, "%d");
    TRY(mul, 65536, 65536, int, "%d");
    TRY(mul, 46341, 46341, int, "%d");
    TRY(mul, -2, 1 << 30, int, "%d");
    TRY(mul, INT_MIN, -1, int, "%d");
    TRY(add, UINT_MAX, 1u, unsigned, "%u");
    TRY(sub, 0u, 1u, unsigned, "%u");
    TRY(sub, 5, 7, unsigned, "%u");
    TRY(add, -1, 2u, unsigned, "%u");
    TRY(add, 100, 100, signed char, "%d");
    TRY(add, 100, 27, signed char, "%d");
    TRY(add, 200, 55, unsigned char, "%d");
    TRY(add, 200, 56, unsigned char, "%d");
    TRY(mul, 300, 300, short, "%d");
    TRY(add, LONG_MAX, 1, long, "%ld");
    TRY(sub, LONG_MIN, -1, long, "%ld");
    TRY(mul, LONG_MAX, 2, long, "%ld");
    TRY(mul, 3037000500L, 3037000500L, long, "%ld");
    TRY(mul, 4294967296UL, 4294967295UL, unsigned long, "%lu");
    TRY(mul, 4294967296UL, 4294967296UL, unsigned long, "%lu");
    TRY(add, LONG_MAX, ULONG_MAX, long, "%ld");
    TRY(add, ULONG_MAX, -1L, unsigned long, "%lu");
    TRY(sub, INT_MIN, 1, long long, "%lld");
    TRY(mul, INT_MAX, INT_MAX, long long, "%lld");
    TRY(mul, UINT_MAX, UINT_MAX, int64_t, "%ld");
    TRY(mul, -1, UINT_MAX, int64_t, "%ld");
    TRY(sub, 0, ULLONG_MAX, long long, "%lld");
    int si;
    unsigned long ul;
    long sl;
    printf("%d ", __builtin_sadd_overflow(INT_MAX, 5, &si));
    printf("%d\n", si);
    printf("%d\n", __builtin_umull_overflow(1ul << 33, 1ul << 33, &ul));
    printf("%d\n", __builtin_ssubl_overflow(5, 9, &sl));
    printf("%ld\n", sl);
    printf("%d %d\n", __builtin_add_overflow_p(INT_MAX, 1, 0), __builtin_mul_overflow_p(3, 4, (char)0));
    __int128 w;
    printf("%d\n", __builtin_mul_overflow(LONG_MAX, LONG_MAX, &w));
    printf("%lx\n", (long)(w >> 64));
    return 0;
}
