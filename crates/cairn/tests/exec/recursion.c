// Recursion: factorial, Ackermann, mutual, Hanoi, permutations, depth 2000.
#include <stdio.h>

static unsigned long fact(unsigned n) { return n < 2 ? 1 : n * fact(n - 1); }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int ack(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

static int moves;
static void hanoi(int n, char a, char b, char c)
{
    if (!n)
        return;
    hanoi(n - 1, a, c, b);
    if (moves++ < 5)
        printf("%c%c ", a, c);
    hanoi(n - 1, b, a, c);
}

static void permute(char *s, int k)
{
    if (!s[k]) {
        printf("%s ", s);
        return;
    }
    for (int i = k; s[i]; i++) {
        char t = s[k];
        s[k] = s[i], s[i] = t;
        permute(s, k + 1);
        t = s[k];
        s[k] = s[i], s[i] = t;
    }
}

static int deep(int n, int *parent)
{
    int local[4] = { n, *parent, n ^ *parent, 1 };
    if (n == 0)
        return local[1];
    return deep(n - 1, &local[0]) + local[3];
}

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

static void digits(unsigned n, int base)
{
    if (n >= (unsigned)base)
        digits(n / base, base);
    putchar("0123456789abcdef"[n % base]);
}

int main(void)
{
    printf("%lu %d %d\n", fact(20), fib(15), ack(2, 5));
    printf("%d %d\n", is_even(1000), is_odd(1001));
    hanoi(6, 'a', 'b', 'c');
    printf("%d\n", moves);
    char s[] = "abc";
    permute(s, 0);
    putchar('\n');
    int root = -1;
    printf("%d\n", deep(2000, &root));
    printf("%d\n", gcd(1071, 462));
    digits(54321, 2), putchar(' ');
    digits(54321, 10), putchar(' ');
    digits(54321, 16), putchar('\n');
    return 0;
}
