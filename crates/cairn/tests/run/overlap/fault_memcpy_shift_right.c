// memcpy moves an array one element to the right within itself.
#include <stdio.h>
#include <string.h>

int main(void) {
    int a[6] = { 1, 2, 3, 4, 5, 6 };
    size_t n = 5;
    memcpy(&a[1], &a[0], n * sizeof a[0]); //~ overlap
    printf("%d\n", a[0]);
    return 0;
}
