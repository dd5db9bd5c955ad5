// Zero as the dividend is fine, and a division in sizeof is never carried out.
#include <stdio.h>

int main(void) {
    int zero = 0;
    int n[4] = { 1, -1, 7, -7 };
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += zero / n[i] + zero % n[i];
    printf("%d %zu\n", sum, sizeof(1 / zero));
    return 0;
}
