// Anonymous structs and unions inside structs, structs inside unions.
#include <stdio.h>
#include <stddef.h>

struct variant {
    int kind;
    union {
        int i;
        double d;
        struct {
            short lo, hi;
        };
        struct {
            unsigned char r, g, b, a;
        } color;
    };
    struct {
        int tail;
    };
};

union reg {
    unsigned whole;
    struct { unsigned short low, high; } half;
    unsigned char byte[4];
};

static void show(const struct variant *v)
{
    switch (v->kind) {
    case 0: printf("int %d", v->i); break;
    case 1: printf("double %g", v->d); break;
    case 2: printf("pair %d %d", v->lo, v->hi); break;
    case 3: printf("rgb %d %d %d", v->color.r, v->color.g, v->color.b); break;
    }
    printf(" tail %d\n", v->tail);
}

int main(void)
{
    struct variant v[] = {
        { 0, { 42 }, { 1 } },
        { 1, .d = 2.5, .tail = 2 },
        { .kind = 2, .lo = -3, .hi = 4, .tail = 3 },
        { 3, { .color = { 9, 8, 7 } }, 4 },
    };
    for (int i = 0; i < 4; i++)
        show(&v[i]);
    v[0].lo = 0x1234;
    v[0].hi = 1;
    printf("%x\n", v[0].i);
    printf("%zu %zu %zu %zu\n", offsetof(struct variant, d), offsetof(struct variant, hi),
           offsetof(struct variant, tail), sizeof(struct variant));
    union reg r = { 0x11223344 };
    printf("%x %x %x %x\n", r.half.low, r.half.high, r.byte[0], r.byte[3]);
    r.byte[1] = 0xff;
    printf("%x\n", r.whole);
    r.half.high++;
    printf("%x\n", r.whole);
    union reg copy = r;
    copy.whole = 0;
    printf("%x %x\n", r.whole, copy.byte[1]);
    struct variant *p = v;
    p->tail = 99;
    printf("%d %d\n", v[0].tail, (p + 1)->tail);
    return 0;
}
