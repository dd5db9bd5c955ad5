// Multi-dimensional arrays: multiplication, transpose, life, pointers to rows.
#include <stdio.h>
#include <string.h>

typedef double mat[3][3];

static void mul(mat out, mat a, mat b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 3; k++)
                out[i][j] += a[i][k] * b[k][j];
        }
}

static void transpose(double (*m)[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            double t = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = t;
        }
}

static int neighbours(char g[8][8], int r, int c)
{
    int n = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if (dr || dc)
                n += g[(r + dr + 8) % 8][(c + dc + 8) % 8];
    return n;
}

static void life(char g[8][8])
{
    char next[8][8];
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) {
            int n = neighbours(g, r, c);
            next[r][c] = n == 3 || (g[r][c] && n == 2);
        }
    memcpy(g, next, sizeof next);
}

int main(void)
{
    mat a = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 10 } }, b = { { 1, 0, 2 }, { 0, 1, 0 }, { 3, 0, 1 } }, c;
    mul(c, a, b);
    transpose(c);
    for (int i = 0; i < 9; i++)
        printf("%g ", c[i / 3][i % 3]);
    putchar('\n');
    char g[8][8] = { [0][1] = 1, [1][2] = 1, [2] = { 1, 1, 1 } };
    for (int step = 0; step < 12; step++)
        life(g);
    for (int r = 0; r < 8; r++, putchar('\n'))
        for (int k = 0; k < 8; k++)
            putchar(g[r][k] ? '#' : '.');
    int t[2][3][4], n = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                t[i][j][k] = n++;
    int (*plane)[3][4] = &t[1], (*row)[4] = t[1], *cell = t[1][2];
    printf("%d %d %d %d\n", (*plane)[2][1], row[1][3], cell[-1 + 2], **t[1]);
    printf("%d %d\n", *(*(*(t + 1) + 2) + 3), 2[1[t]][0]);
    printf("%td %td\n", &t[1][2] - &t[1][0], row + 3 - t[1]);
    return 0;
}
