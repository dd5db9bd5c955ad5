// A static local outlives the call, so returning its address is fine.
#include <stdio.h>

static int *counter(void) {
    static int n;
    n++;
    int *p = &n;
    return p;
}

int main(void) {
    int *p = counter();
    counter();
    printf("%d\n", *p);
    return 0;
}
