// packed and aligned attributes on structs, members, types and variables.
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct __attribute__((packed)) p1 { char c; int i; short s; double d; };
struct p2 { char c; int i __attribute__((packed)); char e; } __attribute__((aligned(2)));
struct p3 { unsigned a : 3; unsigned b : 17; unsigned c : 30; } __attribute__((packed));
struct al { char c; int v __attribute__((aligned(16))); };
typedef int aligned_int __attribute__((aligned(32)));
struct holder { char c; aligned_int x; };
#pragma pack(push, 2)
struct prag { char c; int i; long long l; };
#pragma pack(pop)
struct after { char c; int i; };
enum __attribute__((packed)) tiny { T0, T1 = 200 };
enum __attribute__((packed)) tiny_signed { S0 = -1, S1 = 100 };
enum __attribute__((packed)) medium { M0 = 1000 };
struct _Alignas_test { _Alignas(8) char a; _Alignas(double) char b; };

int main(void)
{
    printf("%zu %zu %zu %zu\n", sizeof(struct p1), offsetof(struct p1, i), offsetof(struct p1, s), offsetof(struct p1, d));
    printf("%zu %zu %zu\n", sizeof(struct p2), offsetof(struct p2, i), _Alignof(struct p2));
    printf("%zu %zu\n", sizeof(struct p3), _Alignof(struct p3));
    printf("%zu %zu %zu\n", sizeof(struct al), offsetof(struct al, v), _Alignof(struct al));
    printf("%zu %zu\n", sizeof(struct holder), offsetof(struct holder, x));
    printf("%zu %zu %zu\n", sizeof(struct prag), offsetof(struct prag, i), offsetof(struct prag, l));
    printf("%zu\n", sizeof(struct after));
    printf("%zu %zu %zu\n", sizeof(enum tiny), sizeof(enum tiny_signed), sizeof(enum medium));
    printf("%zu\n", sizeof(struct _Alignas_test));
    struct p1 x = { 'a', 0x01020304, -5, 2.5 }, arr[3];
    arr[1] = x;
    arr[1].i++;
    arr[2] = arr[1];
    arr[2].d *= 2;
    printf("%x %d %g %g\n", arr[1].i, arr[2].s, arr[1].d, arr[2].d);
    unsigned char raw[sizeof x];
    memcpy(raw, &x, sizeof x);
    printf("%02x%02x%02x%02x%02x\n", raw[0], raw[1], raw[2], raw[3], raw[4]);
    struct p3 b = { 5, 0x1abcd, 0x2fedcba9 };
    b.b += 0x10000;
    printf("%x %x %x\n", b.a, b.b, b.c);
    enum tiny t = T1;
    enum tiny_signed s = S0;
    printf("%d %d\n", t, s);
    aligned_int ai;
    _Alignas(64) char buf[3];
    printf("%d %d\n", (int)((uintptr_t)&ai % 32), (int)((uintptr_t)buf % 64));
    return 0;
}
