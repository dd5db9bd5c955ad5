// The dangling pointer is given a live target again before it is used.
#include <stdio.h>

int main(void) {
    int keep = 100, sum = 0;
    int *p = &keep;
    for (int i = 0; i < 3; i++) {
        int local = i;
        p = &local;
        sum += *p;
    }
    p = &keep;
    printf("%d\n", sum + *p);
    return 0;
}
