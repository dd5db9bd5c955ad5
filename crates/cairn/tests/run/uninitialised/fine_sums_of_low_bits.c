// Carries go up only: the low bits of sums, differences and products stay initialised.
#include <stdio.h>

int main(void) {
    union { unsigned word; unsigned short half[2]; } a, b;
    a.half[0] = 40000;
    b.half[0] = 30000;
    if (((a.word + b.word) & 0xffff) == 4464)
        puts("sum");
    if (((a.word - b.word) & 0xffff) == 10000)
        puts("difference");
    if ((a.word * 3 & 0xffff) == 54464)
        puts("product");
    if ((-a.word & 0xffff) == 25536)
        puts("negation");
    return 0;
}
