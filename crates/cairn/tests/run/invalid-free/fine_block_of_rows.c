// One block holds all rows; the row table and the block are each freed once.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int rows = 3, cols = 4;
    int **m = malloc(rows * sizeof *m);
    if (!m) return 1;
    m[0] = calloc(rows * cols, sizeof **m);
    if (!m[0]) return 1;
    for (int r = 1; r < rows; r++)
        m[r] = m[0] + r * cols;
    m[2][3] = 5;
    printf("%d\n", m[0][11]);
    free(m[0]);
    free(m);
    return 0;
}
