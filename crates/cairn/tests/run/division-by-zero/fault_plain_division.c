// Divides by a difference that becomes zero in a loop.
#include <stdio.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += 12 / (3 - i); //~ division-by-zero
    printf("%d\n", sum);
    return 0;
}
