// Pointer types that look different but are compatible with the function.
#include <stdio.h>

typedef int number;

static int sum(const int n, const int v[]) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}

int main(void) {
    int v[3] = { 1, 2, 3 };
    number (*f)(number, const number *) = sum;
    int (*g)(int, const int[3]) = sum;
    printf("%d %d\n", f(3, v), (***g)(2, v));
    return 0;
}
