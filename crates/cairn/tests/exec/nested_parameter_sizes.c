// Sizes of parameters use and change variables of the function around a nested function, and prototypes leave them open.
#include <stdio.h>

int sum(int rows, int columns, int m[rows][columns]);
int first(int n, char m[1][n]);
int deep(int n, int m[2][3][n]);
typedef int (*reader)(int n, int m[][n]);

int first(int n, char m[1][n])
{
    return sizeof m[0] + m[0][n - 1];
}

int deep(int n, int m[2][3][n])
{
    return m[1][2][n - 1] + (int)sizeof *m;
}

int sum(int rows, int columns, int m[rows][columns])
{
    int total = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            total += m[i][j];
    return total;
}

static int corner(int n, int m[][n])
{
    return m[1][n - 1];
}

static void around(int n)
{
    int inner(char a[2][++n]) { n += 4; return sizeof(a[0]); }
    int a = inner(0);
    int b = inner(0);
    printf("%d %d %d\n", a, b, n);
}

int main(void)
{
    int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    int d[2][3][2] = { [1][2][1] = 9 };
    char text[1][4] = { { 1, 2, 3, 4 } };
    reader read = corner;
    printf("%d %d %d %d\n", sum(2, 3, m), first(4, text), deep(2, d), read(3, m));
    around(1);
    return 0;
}
