// Reading a union member other than the one last written: bits of floats and ints.
#include <stdio.h>
#include <stdint.h>
#include <string.h>

union f32 { float f; uint32_t u; int32_t i; uint8_t b[4]; };
union f64 { double d; uint64_t u; struct { uint32_t lo, hi; } w; };

static int exponent(double d)
{
    union f64 x = { .d = d };
    return (int)(x.w.hi >> 20 & 0x7ff) - 1023;
}

static float fast_invsqrt(float x)
{
    union f32 v = { x };
    v.u = 0x5f3759df - (v.u >> 1);
    return v.f * (1.5f - 0.5f * x * v.f * v.f);
}

int main(void)
{
    float fs[] = { 0.0f, -0.0f, 1.0f, -2.0f, 0.1f, 3.4e38f };
    for (unsigned i = 0; i < sizeof fs / sizeof *fs; i++) {
        union f32 v = { fs[i] };
        printf("%08x %d %02x\n", v.u, v.i < 0, v.b[3]);
    }
    union f64 d = { .u = 0x400921fb54442d18 };
    printf("%.15f %x %x\n", d.d, d.w.hi, d.w.lo);
    d.w.hi ^= 0x80000000;
    printf("%.15f\n", d.d);
    for (double x = 0.25; x < 100; x *= 5)
        printf("%d ", exponent(x));
    putchar('\n');
    printf("%.5f %.5f\n", fast_invsqrt(4), fast_invsqrt(2));
    union f32 n = { .u = 0x7fc00000 };
    printf("%d\n", n.f != n.f);
    n.u = 0x7f800000;
    printf("%f\n", n.f);
    n.u = 1;
    printf("%g\n", n.f);
    union { int i[2]; long l; char c[8]; } m = { { -1, 0 } };
    printf("%ld\n", m.l);
    m.c[7] = 0x40;
    printf("%lx %x\n", m.l, m.i[1]);
    float f = 5.5f;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits += 1u << 23;
    memcpy(&f, &bits, sizeof f);
    printf("%g\n", f);
    uint8_t *bytes = (uint8_t *)&f;
    printf("%02x %02x\n", bytes[3], bytes[2]);
    bytes[3] |= 0x80;
    printf("%g\n", f);
    return 0;
}
