// Row index too large in a two dimensional global array.
#include <stdio.h>

static int grid[3][4];

static int *cell(int r, int c) { return (int *)grid + r * 4 + c; }

int main(void) {
    int sum = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            *cell(r, c) = r + c;
    sum = *cell(2, 3);
    sum += *cell(2, 4); //~ out-of-bounds
    printf("%d\n", sum);
    return 0;
}
