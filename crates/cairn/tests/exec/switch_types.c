// switch on char, unsigned, long long, enum and bool; conversion of case values.
#include <stdio.h>
#include <stdint.h>

enum color { RED, GREEN = 5, BLUE };

static int on_ll(long long v)
{
    switch (v) {
    case 0x100000000LL: return 1;
    case -0x100000000LL: return 2;
    case 0: return 3;
    case INT64_MAX: return 4;
    case INT64_MIN: return 5;
    case 10000000000LL ... 20000000000LL: return 6;
    default: return 7;
    }
}

static int on_unsigned(unsigned u)
{
    switch (u) {
    case -1: return 1;
    case 0: return 2;
    case 0x80000000: return 3;
    case 5 ... 10: return 4;
    }
    return 0;
}

static int on_uchar(unsigned char c)
{
    switch (c) {
    case 255: return 1;
    case -1: return 2;
    case 'A': return 3;
    default: return 4;
    }
}

static const char *on_enum(enum color c)
{
    switch (c) {
    case RED: return "red";
    case GREEN: return "green";
    case BLUE: return "blue";
    }
    return "none";
}

int main(void)
{
    printf("%d %d %d\n", on_ll(1LL << 32), on_ll(-(1LL << 32)), on_ll(0));
    printf("%d %d %d %d\n", on_ll(INT64_MAX), on_ll(INT64_MIN), on_ll(15000000000LL), on_ll(1));
    printf("%d %d %d %d %d\n", on_unsigned(-1), on_unsigned(0), on_unsigned(1u << 31), on_unsigned(7), on_unsigned(11));
    printf("%d %d %d\n", on_uchar(-1), on_uchar('A'), on_uchar(0x141));
    printf("%s %s %s %s\n", on_enum(0), on_enum(5), on_enum(BLUE), on_enum(2));
    switch ((_Bool)7) {
    case 1: puts("true"); break;
    case 0: puts("false");
    }
    switch ((short)0x1ffff) {
    case -1: puts("minus one"); break;
    default: puts("other");
    }
    int n = 0;
    switch (n++) {
    case 0: printf("post %d\n", n);
    }
    switch (sizeof(int)) {
    case 4: puts("four");
    }
    return 0;
}
