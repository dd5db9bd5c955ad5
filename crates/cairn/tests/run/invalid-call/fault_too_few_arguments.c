// A function with one parameter is called through a pointer type without parameters.
#include <stdio.h>

static int twice(int x) { return 2 * x; }

int main(void) {
    int (*f)(void) = (int (*)(void))twice;
    int r = f(); //~ invalid-call
    printf("%d\n", r != 0);
    return 0;
}
