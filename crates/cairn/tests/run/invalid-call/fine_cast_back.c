// A function pointer is stored as another type and cast back before the call.
#include <stdio.h>

typedef void (*generic)(void);

static int twice(int x) { return 2 * x; }
static double third(double d) { return d / 3; }

int main(void) {
    generic table[2] = { (generic)twice, (generic)third };
    int r = ((int (*)(int))table[0])(4);
    double d = ((double (*)(double))table[1])(9.0);
    printf("%d %.1f\n", r, d);
    return 0;
}
