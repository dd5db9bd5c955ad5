// A function returns the address of its own local variable.
#include <stdio.h>

static int *make(int v) {
    int local = v * 2;
    int *p = &local;
    return p;
}

int main(void) {
    int *p = make(4);
    printf("%d\n", *p); //~ use-after-scope
    return 0;
}
