// Integer promotions and usual arithmetic conversions on mixed signs and widths.
#include <stdio.h>

#define SHOW(e) printf("%-24s size %zu value %lld\n", #e, sizeof(e), (long long)(e))

int main(void)
{
    signed char sc = -1;
    unsigned char uc = 255;
    short s = -32768;
    unsigned short us = 65535;
    int i = -1;
    unsigned u = 1;
    long l = -1;
    unsigned long ul = 1;
    long long ll = -5;
    _Bool b = 1;
    char c = (char)200;

    SHOW(sc + sc);
    SHOW(uc + uc);
    SHOW(uc + sc);
    SHOW(s - 1);
    SHOW(us + 1);
    SHOW(us * 2);
    SHOW(i + u);
    SHOW(i * u);
    SHOW(l + u);
    SHOW(l * u);
    SHOW(i + ul);
    SHOW(ll + u);
    SHOW(~uc);
    SHOW(~us);
    SHOW(-u);
    SHOW(-uc);
    SHOW(+c);
    SHOW(b + b);
    SHOW(~b);
    SHOW(!uc);
    SHOW(b ? sc : us);
    SHOW(b ? i : u);
    SHOW(b ? i : l);
    SHOW(b ? u : l);
    SHOW(b ? -1 : 0u);
    SHOW(sc ^ us);
    SHOW(sc & ul);
    SHOW(uc << 20 >> 4);
    SHOW((unsigned char)(uc + 1));
    SHOW((signed char)(127 + 1));
    SHOW((short)70000);
    SHOW((unsigned short)-1);
    SHOW((unsigned)-1 + 0L);
    SHOW('a');
    SHOW('a' + 0L);
    SHOW(2147483647);
    SHOW(2147483648);
    SHOW(0xffffffff);
    SHOW(0x7fffffffffffffff);
    SHOW(0x8000000000000000 > 0);
    SHOW(-2147483648);
    return 0;
}
