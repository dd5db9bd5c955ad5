// A loop with <= reads one element past the end of a local array.
#include <stdio.h>

int main(void) {
    int a[5] = { 1, 2, 3, 4, 5 };
    int sum = 0;
    for (int i = 0; i <= 5; i++)
        sum += a[i]; //~ out-of-bounds
    printf("%d\n", sum);
    return 0;
}
