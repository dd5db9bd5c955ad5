// An if decides on a local that was set on one path only.
#include <stdio.h>

static int classify(int n) {
    int kind;
    if (n > 10)
        kind = 1;
    if (kind == 1) //~ uninitialised
        return 100;
    return 0;
}

int main(void) {
    int a = classify(11);
    int b = classify(9);
    return a - b == 100 ? 0 : 1;
}
