// Large automatic and static arrays, sieve and table-driven computations.
#include <stdio.h>
#include <string.h>

static unsigned char sieve[20000];
static int table[100][100];

static long work(int seed)
{
    int local[5000];
    double other[1000];
    for (int i = 0; i < 5000; i++)
        local[i] = (i * 37 + seed) % 1009;
    for (int i = 0; i < 1000; i++)
        other[i] = local[i * 5] / 4.0;
    long s = 0;
    for (int i = 0; i < 5000; i++)
        s += local[i] * (i % 3);
    for (int i = 0; i < 1000; i++)
        s += other[i];
    return s;
}

int main(void)
{
    memset(sieve, 1, sizeof sieve);
    sieve[0] = sieve[1] = 0;
    for (int i = 2; i * i < (int)sizeof sieve; i++)
        if (sieve[i])
            for (int j = i * i; j < (int)sizeof sieve; j += i)
                sieve[j] = 0;
    int count = 0, last = 0;
    for (int i = 0; i < (int)sizeof sieve; i++)
        if (sieve[i])
            count++, last = i;
    printf("%d %d\n", count, last);
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            table[i][j] = i == 0 || j == 0 ? 1 : (table[i - 1][j] + table[i][j - 1]) % 10007;
    printf("%d %d\n", table[99][99], table[50][20]);
    printf("%ld %ld\n", work(1), work(500));
    char big[10000];
    for (int i = 0; i < 9999; i++)
        big[i] = 'a' + i % 26;
    big[9999] = 0;
    printf("%zu %c\n", strlen(big), big[9998]);
    char copy[10000];
    strcpy(copy, big);
    printf("%d\n", strcmp(copy, big));
    return 0;
}
