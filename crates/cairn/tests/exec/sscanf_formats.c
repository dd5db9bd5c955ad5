// sscanf: integers, floats, strings, sets, widths, suppression and counts.
#include <stdio.h>
#include <string.h>

int main(void)
{
    int a = 0, b = 0, n;
    unsigned u;
    long l;
    long long ll;
    short h;
    signed char hh;
    float f;
    double d;
    char s[20], t[20], c;

    n = sscanf("12 -34", "%d %d", &a, &b);
    printf("%d %d %d\n", n, a, b);
    n = sscanf("0x1f 077 10", "%i %i %i", &a, &b, &n);
    printf("%d %d\n", a, b);
    n = sscanf("ff 17 4000000000", "%x %o %u", &a, &b, &u);
    printf("%d %d %d %u\n", n, a, b, u);
    n = sscanf("-5000000000 123456789012345", "%ld%lld", &l, &ll);
    printf("%d %ld %lld\n", n, l, ll);
    n = sscanf("300 70", "%hd %hhd", &h, &hh);
    printf("%d %d %d\n", n, h, hh);
    n = sscanf("1.5 -2.5e3", "%f %lf", &f, &d);
    printf("%d %g %g\n", n, f, d);
    n = sscanf("  word another", "%s %19s", s, t);
    printf("%d [%s] [%s]\n", n, s, t);
    n = sscanf("abcdef", "%3s%c", s, &c);
    printf("%d [%s] %c\n", n, s, c);
    n = sscanf(" x", "%c", &c);
    printf("%d [%c]\n", n, c);
    n = sscanf(" x", " %c", &c);
    printf("%d [%c]\n", n, c);
    n = sscanf("key=value;", "%[a-z]=%[^;]", s, t);
    printf("%d [%s] [%s]\n", n, s, t);
    n = sscanf("2024-03-09", "%4d-%2d-%2d", &a, &b, &n);
    printf("%d %d\n", a, b);
    n = sscanf("1 2 3", "%*d %d", &a);
    printf("%d %d\n", n, a);
    int used = -1;
    n = sscanf("123abc", "%d%n", &a, &used);
    printf("%d %d %d\n", n, a, used);
    a = 7;
    n = sscanf("xyz", "%d", &a);
    printf("%d %d\n", n, a);
    n = sscanf("", "%d", &a);
    printf("%d %d\n", n, n == EOF);
    n = sscanf("5%", "%d%%", &a);
    printf("%d %d\n", n, a);
    n = sscanf("12345", "%2d%3d", &a, &b);
    printf("%d %d %d\n", n, a, b);
    n = sscanf("10,20,x", "%d,%d,%d", &a, &b, &used);
    printf("%d %d %d\n", n, a, b);
    n = sscanf("abc", "%2c", s);
    printf("%d %.2s\n", n, s);
    return 0;
}
