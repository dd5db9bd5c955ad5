// The smallest int divided by 1, by 2 and by -2.
#include <limits.h>
#include <stdio.h>

int main(void) {
    int d[] = { 1, 2, -2 };
    for (int i = 0; i < 3; i++)
        printf("%d %d\n", INT_MIN / d[i], INT_MIN % d[i]);
    printf("%d\n", -INT_MAX / -1);
    return 0;
}
