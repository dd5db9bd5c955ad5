// `_BitInt`: widths, wrapping, promotion (there is none), common types, constants, members, arrays, conversions.
#include <assert.h>

_BitInt(40) global = -5;
struct members { unsigned _BitInt(12) a; _BitInt(70) b; char c; } object = { 4095, -1, 2 };
struct fields { _BitInt(9) f : 5; unsigned _BitInt(3) g : 3; };

static _BitInt(24) multiply(_BitInt(24) x, _BitInt(24) y) { return x * y; }

static int count(unsigned _BitInt(9) n) {
    int k = 0;
    for (unsigned _BitInt(9) i = 0; i < n; i++)
        k++;
    return k;
}

#define IS(type, value) _Generic((value), type: 1, default: 0)

int main(void) {
    // Sizes as the ABI of the machine has them.
    assert(sizeof(_BitInt(7)) == 1 && sizeof(_BitInt(9)) == 2 && sizeof(_BitInt(17)) == 4 && sizeof(_BitInt(33)) == 8);
    assert(sizeof(_BitInt(65)) == (sizeof(long) == 8 ? 16 : 12) && sizeof(_BitInt(128)) == 16);
    assert(_Alignof(_BitInt(70)) == sizeof(long) && sizeof(struct members) == (sizeof(long) == 8 ? 32 : 20));

    // Types of constants and of results.
    assert(IS(_BitInt(3), 3wb) && IS(_BitInt(2), 0wb) && IS(unsigned _BitInt(2), 3uwb) && IS(unsigned _BitInt(1), 0uwb));
    assert(IS(_BitInt(9), 3wb + 200wb));
    assert(IS(_BitInt(40), 1 + (_BitInt(40))1) && IS(int, 1 + (_BitInt(32))1) && IS(int, 'a' + (_BitInt(8))1));
    assert(IS(unsigned _BitInt(40), (unsigned _BitInt(40))1 + (_BitInt(40))1));
    assert(IS(_BitInt(41), (unsigned _BitInt(40))1 + (_BitInt(41))1));
    assert(IS(unsigned, (unsigned _BitInt(32))1 + 1));
    assert(IS(_BitInt(7), -(_BitInt(7))1) && IS(_BitInt(7), (_BitInt(7))1 << 100wb * 0));

    // Wrapping and signs.
    unsigned _BitInt(5) u = 31;
    u++;
    assert(u == 0);
    u--;
    assert(u == 31 && (unsigned _BitInt(5))(u << 1) == 30);
    assert((unsigned _BitInt(8))300uwb == 44 && (int)~(unsigned _BitInt(4))5 == 10);
    unsigned _BitInt(1) one = 1;
    one++;
    assert(one == 0);
    _BitInt(65) wide = ((_BitInt(65))1 << 63) - 1;
    wide = wide * 2 + 1;
    assert(wide > 0 && (unsigned long long)wide == ~0ull && (long long)(wide >> 1) == 0x7fffffffffffffffll);
    assert((unsigned _BitInt(128))-1 >> 64 == ~0ull && (unsigned _BitInt(128))-1 / 3 > 0);
    assert(-1wb < 0wb && (_BitInt(128))-7 / 2 == -3 && (_BitInt(100))-7 % 4 == -3);

    // Memory.
    assert(global == -5 && object.a == 4095 && object.b == -1 && object.c == 2);
    object.a += 1;
    object.b -= (_BitInt(70))1 << 66;
    assert(object.a == 0 && object.b == -((_BitInt(70))1 << 66) - 1 && object.c == 2);
    _BitInt(5) row[3] = { -16, 15, 1 }, *p = &row[2];
    row[1] -= 31;
    *p <<= 3;
    assert(row[0] == -16 && row[1] == -16 && *p == 8 && *p >> 1 == 4);
    struct fields f = { -3, 7 };
    f.g++;
    assert(f.f == -3 && f.g == 0);

    // Calls, loops, switches, conversions.
    assert(multiply(3000, 1000) == 3000000 && count(300) == 300);
    switch (row[0]) {
    case -16: break;
    default: assert(0);
    }
    double d = (_BitInt(90))1 << 80;
    assert(d == 0x1p80 && (_BitInt(10))300.7 == 300 && (_BitInt(3))5 == -3);
    assert(row[2wb] == 8);
    return 0;
}
