// Relational and equality operators on operands of differing sign and width.
#include <stdio.h>

#define T(e) printf("%s = %d\n", #e, (e))

int main(void)
{
    int i = -1;
    unsigned u = 1;
    long l = -1;
    unsigned long ul = 1;
    short s = -1;
    unsigned short us = 65535;
    unsigned char uc = 255;
    signed char sc = -1;
    char c = '\xff';

    T(i < u);
    T(i < us);
    T(s == us);
    T(s == (short)us);
    T(i == 0xffffffffu);
    T(l < u);
    T(l < ul);
    T(i < ul);
    T(l == 0xffffffffu);
    T(l == 0xffffffffffffffffu);
    T(sc == uc);
    T(sc == (signed char)uc);
    T(c == 255);
    T(c == -1);
    T(c < 0);
    T(c == '\xff');
    T((unsigned char)c == 255);
    T(-1 < sizeof(int));
    T((int)sizeof(int) > -1);
    T(i > 0.5);
    T(u - 2 > 0);
    T(us - 65536 < 0);
    T(1 < 2 < 1);
    T(3 > 2 > 1);
    T(i != -1L);
    T(0x80000000 > 0);
    T(-0x80000000 > 0);
    T(-1 > 0x7fffffffL);
    T(0.1f < 0.1);
    T((float)16777217 == 16777217);
    T(16777217 == 16777217.0);
    T(1 == 1.0L);
    T((i < 0) == (i >> 31 & 1));
    return 0;
}
