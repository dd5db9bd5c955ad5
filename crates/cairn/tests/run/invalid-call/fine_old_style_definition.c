// A function defined in the old style is called with arguments of the promoted types.
#include <stdio.h>

int mix(a, b, d)
    int a;
    char *b;
    double d;
{
    return a + b[0] - (int)d;
}

int main(void) {
    int (*f)() = mix;
    printf("%d\n", mix(1, "A", 2.0) + f(1, "B", 3.0));
    return 0;
}
