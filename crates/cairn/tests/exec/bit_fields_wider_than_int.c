// A bit-field that is wider than int keeps its own width in arithmetic, as gcc has it.
#include <stdarg.h>
#include <stdio.h>

struct fields {
    unsigned long long u40 : 40;
    long long s40 : 40;
    unsigned long long u33 : 33;
    long long s50 : 50;
    unsigned long long u32 : 32;
    long long s32 : 32;
    unsigned u3 : 3;
    unsigned long long u64 : 64;
} f;

#define SHOW(e) printf("%s = %llx (%d)\n", #e, (unsigned long long)(e), (int)sizeof(__typeof__(e)))
#define KIND(e) printf("%s is %s\n", #e, _Generic(e, \
    int: "int", unsigned: "unsigned", long long: "long long", unsigned long long: "unsigned long long", \
    long: "long", unsigned long: "unsigned long", default: "something else"))

static unsigned long long sum(int count, ...)
{
    va_list list;
    unsigned long long total = 0;
    va_start(list, count);
    while (count--)
        total = total * 31 + va_arg(list, unsigned long long);
    va_end(list);
    return total;
}

static void reset(void)
{
    f.u40 = -1;
    f.s40 = -1;
    f.u33 = -1;
    f.s50 = -1;
    f.u32 = -1;
    f.s32 = -1;
    f.u3 = -1;
    f.u64 = -1;
}

static void unary_and_shifts(void)
{
    SHOW(~f.u40);
    SHOW(-f.u40);
    SHOW(+f.u33);
    SHOW(!f.u40);
    SHOW(-f.s40);
    SHOW(f.u40 << 4);
    SHOW(f.s40 << 3);
    SHOW(f.u40 >> 3);
    SHOW(f.s40 >> 3);
    SHOW(f.u32 << 4);
    SHOW(f.u64 << 4);
    SHOW(1LL << f.u3);
}

static void binary(void)
{
    SHOW(f.u40 + 1);
    SHOW(f.u40 + 1u);
    SHOW(f.u40 + 1LL);
    SHOW(f.u40 + f.u40);
    SHOW(f.u40 * f.u40);
    SHOW(f.u40 + f.s40);
    SHOW(f.u40 + f.s50);
    SHOW(f.u40 - f.u33 - f.u40);
    SHOW(f.u40 * f.u33);
    SHOW(f.u40 / -1);
    SHOW(f.u40 % -2);
    SHOW(f.s40 / -1);
    SHOW(f.u32 + 1);
    SHOW(f.u3 - 9);
    SHOW((f.u40 << 4) + 1LL);
    SHOW(f.u40 + 0.5 > 1e12);
    SHOW(f.u40 > -1);
    SHOW(f.s40 > -2);
    SHOW(f.u40 == -1);
    SHOW(f.u33 == f.s40);
}

static void values_of_expressions(void)
{
    SHOW((0, f.u40) << 4);
    SHOW(({ f.u40; }) << 4);
    SHOW(({ f.u3; }) - 8 < 0);
    SHOW((f.u40 = 5) - 6);
    SHOW(f.u40++ - 6);
    SHOW(++f.u40 - 10);
    SHOW((f.u3 ? f.u40 : f.u40) - 10);
    SHOW((f.u3 ?: f.u3) - 10 < 0);
    SHOW((long long)f.u40 - 10);
    SHOW((int)f.u40);
    SHOW((_Bool)(f.u40 - 7));
    SHOW(sum(2, (unsigned long long)(f.u40 - 8), (unsigned long long)f.u33));
}

static void assignments(void)
{
    reset();
    SHOW(f.u40 += 2LL);
    SHOW(f.u40 -= 2);
    SHOW(f.u40 *= 3);
    SHOW(f.u40 <<= 30);
    SHOW(f.u40 >>= 3);
    SHOW(f.u40 /= -5);
    SHOW(f.s40 -= 7);
    SHOW(f.s40 %= 5);
    SHOW(f.u32 /= -1);
    SHOW(f.u33 ^= f.s50);
    SHOW(f.u33--);
    SHOW(--f.u33);
}

static void types(void)
{
    reset();
    KIND(f.u40);
    KIND(f.u40 + 0);
    KIND(f.u40 + 0LL);
    KIND(f.u32);
    KIND(f.u32 + 0);
    KIND(f.u3);
    KIND(+f.u3);
    KIND(f.u64);
    KIND((unsigned long long)f.u40);
    __typeof__(f.u40 + 1) wide = -1;
    SHOW(wide);
    SHOW(wide <<= 4);
    wide++;
    SHOW(wide + 0);
    __typeof__((0, f.u3)) narrow = 15;
    SHOW(narrow);
    SHOW(++narrow);
    switch (f.u40 + 1) {
    case 0:
        puts("wraps");
        break;
    default:
        puts("does not wrap");
    }
}

int main(void)
{
    reset();
    unary_and_shifts();
    binary();
    values_of_expressions();
    assignments();
    types();
    return 0;
}
