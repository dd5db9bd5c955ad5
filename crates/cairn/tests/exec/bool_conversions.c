// _Bool: conversion from every scalar type, arithmetic, increments and storage.
#include <stdio.h>
#include <stdbool.h>

static bool from_int(int x) { return x; }
static bool from_double(double x) { return x; }
static bool from_ptr(const void *p) { return p; }
static int to_int(bool b) { return b + 41; }

struct flags {
    bool a, b;
    bool c : 1;
};

int main(void)
{
    printf("%d %d %d\n", from_int(0), from_int(256), from_int(-1));
    printf("%d %d %d\n", from_double(0.0), from_double(0.1), from_double(-0.0));
    printf("%d %d\n", from_ptr(0), from_ptr("x"));
    printf("%d\n", to_int(17));
    bool b = 2;
    printf("%d %zu\n", b, sizeof b);
    b = 0x100;
    printf("%d\n", b);
    b++;
    printf("%d\n", b);
    b += 5;
    printf("%d\n", b);
    b -= 1;
    printf("%d\n", b);
    b--;
    printf("%d\n", b);
    b--;
    printf("%d\n", b);
    b = b && 0;
    b |= 4;
    printf("%d\n", b);
    b &= 2;
    printf("%d\n", b);
    b ^= 1;
    printf("%d\n", b);
    b *= 0.5;
    printf("%d\n", b);
    b = ~b;
    printf("%d\n", b);
    b = !b;
    printf("%d\n", b);
    struct flags f = { 3, 0, 8 };
    printf("%d %d %d\n", f.a, f.b, f.c);
    f.c = 0.5;
    f.b = &f;
    printf("%d %d\n", f.b, f.c);
    f.c = 2 - 2;
    printf("%d\n", f.c);
    bool arr[4] = { 1, 0, 7.5, "s" };
    printf("%d%d%d%d\n", arr[0], arr[1], arr[2], arr[3]);
    printf("%d %d\n", (bool)0.25f + (bool)-3, (int)0.25f);
    printf("%d %d\n", true + true, (bool)(unsigned char)256);
    return 0;
}
