// Copies one row of a matrix to the next.
#include <stdio.h>
#include <string.h>

static int grid[4][5];

int main(void) {
    for (int c = 0; c < 5; c++)
        grid[0][c] = c;
    for (int r = 1; r < 4; r++)
        memcpy(grid[r], grid[r - 1], sizeof grid[r]);
    printf("%d\n", grid[3][4]);
    return 0;
}
