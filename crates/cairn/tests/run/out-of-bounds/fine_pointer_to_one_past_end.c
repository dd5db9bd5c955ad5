// Forms and compares a pointer one past the end without reading there.
#include <stdio.h>

int main(void) {
    int a[5] = { 1, 2, 3, 4, 5 };
    int sum = 0;
    for (int *p = a, *end = a + 5; p != end; p++)
        sum += *p;
    printf("%d %d\n", sum, (int)(&a[5] - a));
    return 0;
}
