// A negative index from the middle of an array stays inside the array.
#include <stdio.h>

static short table[4] = { 10, 20, 30, 40 };

int main(void) {
    short *mid = &table[3];
    int sum = 0;
    for (int i = -3; i <= 0; i++)
        sum += mid[i];
    printf("%d\n", sum);
    return 0;
}
