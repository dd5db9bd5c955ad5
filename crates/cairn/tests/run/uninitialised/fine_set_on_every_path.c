// Every path sets the variable before it is tested, one of them through a pointer.
#include <stdio.h>

static void set(int *out, int v) { *out = v; }

static int classify(int n) {
    int kind;
    switch (n) {
    case 1: kind = 1; break;
    case 2: set(&kind, 2); break;
    default: goto other;
    }
    return kind == 1 ? 100 : 200;
other:
    kind = 3;
    return kind;
}

int main(void) {
    printf("%d %d %d\n", classify(1), classify(2), classify(3));
    return 0;
}
