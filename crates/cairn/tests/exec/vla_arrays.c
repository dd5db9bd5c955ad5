// Variable length arrays: 1-d, 2-d, parameters, sizeof evaluation, in loops.
#include <stdio.h>
#include <string.h>

static int bump;
static int next(void) { return ++bump; }

static int trace(int n, int m, int a[n][m])
{
    int s = 0;
    for (int i = 0; i < n && i < m; i++)
        s += a[i][i];
    return s;
}

static void fill(int n, int m, int (*a)[m], int start)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = start++;
}

static size_t param_size(int n, double row[][n + 1]) { return sizeof row[0]; }

static int proto(int n, int a[*]);
static int proto(int n, int a[n]) { return a[n - 1]; }

int main(void)
{
    int n = 5, m = 3;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * i;
    n = 100;
    printf("%zu %d %d\n", sizeof a / sizeof *a, a[4], proto(5, a));
    int g[m + 1][m];
    fill(4, m, g, 10);
    printf("%zu %zu %d %d %d\n", sizeof g, sizeof g[0], g[3][2], g[1][0], trace(4, m, g));
    int (*p)[m] = g;
    p++;
    printf("%d %td\n", (*p)[1], p - g);
    for (int len = 1; len <= 4; len++) {
        char word[len + 1];
        memset(word, 'a' + len, len);
        word[len] = 0;
        printf("%s:%zu ", word, sizeof word);
    }
    putchar('\n');
    int d[next() + 2];
    printf("%zu %d\n", sizeof d, bump);
    printf("%zu ", sizeof(int[next() * 10]));
    printf("%d\n", bump);
    typedef long vec[next()];
    vec v1, v2;
    printf("%zu %zu %d\n", sizeof v1, sizeof(vec), bump);
    v1[0] = 4, v2[2] = 5;
    printf("%ld\n", v1[0] * v2[2]);
    printf("%zu\n", param_size(6, 0));
    int k = 2;
    double cube[k][k + 1][k + 2];
    for (int i = 0; i < 24; i++)
        cube[i / 12][i / 4 % 3][i % 4] = i;
    printf("%g %zu\n", cube[1][2][3] + cube[0][1][2], sizeof cube[0]);
    int i = 0;
again:;
    int jump[i + 1];
    jump[i] = i * 7;
    printf("%d/%zu ", jump[i], sizeof jump);
    if (++i < 4)
        goto again;
    putchar('\n');
    return 0;
}
