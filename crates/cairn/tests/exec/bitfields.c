// Bit-fields: signed, unsigned, _Bool, crossing units, zero width, arithmetic.
// lp64 only
#include <stdio.h>
#include <string.h>

struct a { unsigned x : 3; int y : 5; unsigned z : 24; };
struct b { unsigned char lo : 4, hi : 4; unsigned short w : 12; };
struct c { int p : 7; int : 0; int q : 9; int : 5; int r : 4; };
struct d { unsigned long big : 45; unsigned int rest : 20; _Bool flag : 1; };
struct e { char c; int f : 9; short s : 3; };

int main(void)
{
    struct a a = { 9, -1, 0xffffff };
    printf("%u %d %u\n", a.x, a.y, a.z);
    a.x += 3;
    a.y = 17;
    a.z++;
    printf("%u %d %u\n", a.x, a.y, a.z);
    printf("%d\n", a.x - 5 < 0);
    printf("%zu %zu %zu %zu %zu\n", sizeof(struct a), sizeof(struct b), sizeof(struct c),
           sizeof(struct d), sizeof(struct e));
    struct b b;
    memset(&b, 0, sizeof b);
    b.lo = 0xa;
    b.hi = 0x5;
    b.w = 0xfff + 2;
    unsigned char raw[sizeof b];
    memcpy(raw, &b, sizeof b);
    for (unsigned i = 0; i < sizeof b; i++)
        printf("%02x ", raw[i]);
    putchar('\n');
    struct c c = { .p = -64, .q = 255, .r = 7 };
    printf("%d %d %d\n", c.p, c.q, c.r);
    c.p--, c.q++, c.r++;
    printf("%d %d %d\n", c.p, c.q, c.r);
    struct d d = { 1UL << 44, 0xabcde, 1 };
    printf("%lx %x %d\n", (unsigned long)d.big, d.rest, d.flag);
    d.big *= 2;
    d.rest <<= 4;
    d.flag = 4;
    printf("%lx %x %d\n", (unsigned long)d.big, d.rest, d.flag);
    d.big--;
    printf("%lx %x\n", (unsigned long)d.big, d.rest);
    int v = (a.y = 31);
    printf("%d\n", v);
    v = a.x++ + a.y--;
    printf("%d %d %d\n", v, a.x, a.y);
    struct a *pa = &a, arr[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
    pa->z = arr[1].z | arr[0].y << 4;
    arr[0] = *pa;
    printf("%d %d %d\n", arr[0].x, arr[0].y, arr[0].z);
    struct { unsigned u31 : 31; unsigned long u33 : 33; } m = { 0x7fffffff, 0x1ffffffffUL };
    printf("%d %d\n", m.u31 > -1, ~m.u31 < 0);
    printf("%d %d\n", m.u33 + 0 > -1, (int)(m.u33 >> 32));
    struct e e = { 'c', -200, 3 };
    printf("%c %d %d\n", e.c, e.f, e.s);
    return 0;
}
