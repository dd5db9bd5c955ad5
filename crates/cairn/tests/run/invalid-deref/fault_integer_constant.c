// Reads from an address made up as an integer constant.
#include <stdio.h>

int main(void) {
    int here = 3;
    int *p = &here;
    printf("%d\n", *p);
    p = (int *)0x1234;
    printf("%d\n", *p); //~ invalid-deref
    return 0;
}
