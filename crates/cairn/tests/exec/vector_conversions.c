// Vectors that are converted element by element and put together from elements of two others; preferred alignments.
#include <stdio.h>

typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef short s4 __attribute__((vector_size(8)));
typedef int v8 __attribute__((vector_size(32)));

int main(void) {
    v4 a = { 1, -2, 3, 70000 }, b = { 5, 6, 7, 8 };
    f4 f = __builtin_convertvector(a, f4) / 2;
    s4 s = __builtin_convertvector(a, s4);
    printf("%g %g %d %d\n", f[1], f[2], s[1], s[3]);
    v4 mixed = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    printf("%d %d %d %d\n", mixed[0], mixed[1], mixed[2], mixed[3]);
    v8 both = __builtin_shufflevector(a, b, 7, 6, 5, 4, 3, 2, 1, -1);
    printf("%d %d %d\n", both[0], both[3], both[6]);
    printf("%d %d %d\n", (int)__alignof__(double), (int)__alignof__(long long), (int)__alignof__(int));
    return 0;
}
