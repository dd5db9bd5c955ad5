// memmove may be used on regions that overlap.
#include <stdio.h>
#include <string.h>

int main(void) {
    int a[6] = { 1, 2, 3, 4, 5, 6 };
    memmove(&a[1], &a[0], 5 * sizeof a[0]);
    memmove(&a[2], &a[3], 3 * sizeof a[0]);
    printf("%d %d\n", a[1], a[4]);
    return 0;
}
