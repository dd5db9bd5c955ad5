// atoi, strtol, strtoul, strtoll, strtod: bases, end pointers, ERANGE.
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <limits.h>

static void l(const char *s, int base)
{
    char *end;
    errno = 0;
    long v = strtol(s, &end, base);
    printf("'%s' base %d: %ld rest '%s' %s\n", s, base, v, end, errno == ERANGE ? "ERANGE" : "ok");
}

static void ul(const char *s, int base)
{
    char *end;
    errno = 0;
    unsigned long v = strtoul(s, &end, base);
    printf("'%s' base %d: %lu rest '%s' %s\n", s, base, v, end, errno == ERANGE ? "ERANGE" : "ok");
}

static void d(const char *s)
{
    char *end;
    errno = 0;
    double v = strtod(s, &end);
    printf("'%s': %g rest '%s' %s\n", s, v, end, errno == ERANGE ? "ERANGE" : "ok");
}

int main(void)
{
    printf("%d %d %d %d\n", atoi("42"), atoi("  -17xyz"), atoi("+8"), atoi("none"));
    printf("%ld %lld %g\n", atol("-9000000000"), atoll("123456789012"), atof("2.5e3"));
    l("123abc", 10);
    l("  -0x1Fg", 16);
    l("0x1F", 0);
    l("0755", 0);
    l("099", 0);
    l("1012", 2);
    l("zz", 36);
    l("", 10);
    l("-", 10);
    l("0x", 16);
    l("9223372036854775807", 10);
    l("9223372036854775808", 10);
    l("-9223372036854775808", 10);
    l("-99999999999999999999", 10);
    ul("18446744073709551615", 10);
    ul("18446744073709551616", 10);
    ul("-1", 10);
    ul("deadbeef", 16);
    d("3.25");
    d(" -1e3x");
    d(".5.");
    d("1e");
    d("0x1.8p3");
    d("inf");
    d("-Infinity!");
    d("nan(7_z)x");
    d("nan(7");
    d("1e999");
    d("e5");
    d("123456789.123456789");
    printf("%lld %llu\n", strtoll("-77", NULL, 8), strtoull("ffffffffffffffff", NULL, 16));
    printf("%g %Lg\n", strtof("0.1", NULL), strtold("0.1", NULL));
    return 0;
}
