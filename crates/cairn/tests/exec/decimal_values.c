// Decimal floating types as far as no arithmetic is needed: constants, copies, parameters, layout.
#include <stdio.h>
#include <string.h>

_Decimal32 small = -1.25df, longest = 9999999.DF, padded = 1e90df, zero = 0.0df;
_Decimal64 scaled = 123.456e-7dd, odd = 9007199254740993.dd, seven = 7;
_Decimal128 greatest = 1e6111dl, negative = -7.0DL, many = -123456789012345678901234567890123.4DL;

struct mixed { char c; _Decimal32 a; char k; _Decimal64 b; char l; _Decimal128 d; };

static void show(const void *value, int size) {
    const unsigned char *bytes = value;
    for (int i = size - 1; i >= 0; i--)
        printf("%02x", bytes[i]);
    puts("");
}

static _Decimal64 same(_Decimal64 value) { return value; }

int main(void) {
    show(&small, sizeof small);
    show(&longest, sizeof longest);
    show(&padded, sizeof padded);
    show(&zero, sizeof zero);
    show(&scaled, sizeof scaled);
    show(&odd, sizeof odd);
    show(&seven, sizeof seven);
    show(&greatest, sizeof greatest);
    show(&negative, sizeof negative);
    show(&many, sizeof many);

    struct mixed a = { 1, 0.1df, 2, 2.5dd, 3, 3.5dl }, b;
    b = a;
    b.b = same(a.b);
    printf("%d\n", memcmp(&a.b, &b.b, sizeof a.b));
    show(&b.d, sizeof b.d);
    _Decimal64 row[2] = { 1.1dd };
    row[1] = row[0];
    show(&row[1], sizeof row[1]);
    printf("%d %d\n", (int)sizeof(struct mixed), (int)_Alignof(struct mixed));
    return 0;
}
