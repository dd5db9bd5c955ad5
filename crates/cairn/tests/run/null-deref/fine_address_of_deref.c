// &*p only takes back the pointer and does not read it, so null is allowed.
#include <stdio.h>

int main(void) {
    int *p = 0;
    int *q = &*p;
    int **pp = &q;
    printf("%d %d\n", q == 0, *pp == p);
    return 0;
}
