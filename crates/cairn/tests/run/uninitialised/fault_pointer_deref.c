// An uninitialised pointer is followed.
#include <stdio.h>

int main(void) {
    int x = 1;
    int *p[2];
    p[0] = &x;
    *p[0] = 2;
    *p[1] = 3; //~ uninitialised
    printf("%d\n", x);
    return 0;
}
