// The overflow builtins on 128-bit operands, and on operands and results of different signs and widths.
// lp64 only
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static const u128 values[] = {
    0, 1, 2, 5, 127, 128, 255, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000,
    0xffffffffffffffff, (u128)1 << 64, ((u128)1 << 100) + 3, (u128)1 << 126, ((u128)1 << 127) - 1, (u128)1 << 127,
    ((u128)1 << 127) + 1, (u128)-2, (u128)-1, (u128)-0x80000000, (u128)-128, (u128)-((u128)1 << 63),
};
enum { COUNT = sizeof values / sizeof values[0] };

static unsigned long long sum;

static void note(int overflow, u128 result)
{
    sum = sum * 1000003 + overflow;
    sum = sum * 1000003 + (unsigned long long)result;
    sum = sum * 1000003 + (unsigned long long)(result >> 64);
}

#define ONE(op, left, right, kind) do { \
    kind result; \
    int overflow = __builtin_##op##_overflow((left)a, (right)b, &result); \
    note(overflow, (u128)result); \
    note(__builtin_##op##_overflow_p((left)a, (right)b, (kind)0), 0); \
    count += overflow; \
} while (0)

#define ALL(left, right, kind) do { \
    int count = 0; \
    sum = 0; \
    for (int i = 0; i < COUNT; i++) \
        for (int j = 0; j < COUNT; j++) { \
            u128 a = values[i], b = values[j]; \
            ONE(add, left, right, kind); \
            ONE(sub, left, right, kind); \
            ONE(mul, left, right, kind); \
        } \
    printf(#left " " #right " " #kind ": %d %llx\n", count, sum); \
} while (0)

#define RESULTS(left, right) \
    ALL(left, right, i128); ALL(left, right, u128); ALL(left, right, long long); ALL(left, right, unsigned); \
    ALL(left, right, signed char)

int main(void)
{
    RESULTS(i128, i128);
    RESULTS(u128, u128);
    RESULTS(i128, u128);
    RESULTS(u128, i128);
    RESULTS(u128, int);
    RESULTS(unsigned, i128);
    RESULTS(long long, u128);
    RESULTS(unsigned long long, long long);
    RESULTS(int, unsigned char);
    return 0;
}
