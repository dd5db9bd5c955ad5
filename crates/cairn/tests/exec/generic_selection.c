// _Generic by type, qualifiers and arrays; _Static_assert everywhere.
#include <stdio.h>
#include <stddef.h>

#define NAME(x) _Generic((x), \
    _Bool: "bool", char: "char", signed char: "schar", unsigned char: "uchar", \
    short: "short", unsigned short: "ushort", int: "int", unsigned: "uint", \
    long: "long", unsigned long: "ulong", long long: "llong", unsigned long long: "ullong", \
    float: "float", double: "double", long double: "ldouble", \
    char *: "char*", const char *: "const char*", int *: "int*", void *: "void*", \
    int (*)(int): "fn", struct s: "struct s", default: "other")

#define ABS(x) _Generic((x), int: abs_i, double: abs_d, default: abs_l)(x)

struct s { int a; };
struct t { int a; _Static_assert(sizeof(int) == 4, "int size"); };
_Static_assert(sizeof(long) == sizeof(void *), "word");
_Static_assert('a' < 'b', "order");

static int abs_i(int x) { return x < 0 ? -x : x; }
static long abs_l(long x) { return x < 0 ? -x : x; }
static double abs_d(double x) { return x < 0 ? -x : x; }

int main(void)
{
    _Static_assert(offsetof(struct s, a) == 0, "offset");
    char c = 1;
    short s = 1;
    const int ci = 1;
    float f = 1;
    int arr[3];
    struct s st = { 1 };
    _Bool b = 1;
    puts(NAME(c));
    puts(NAME(+c));
    puts(NAME(s));
    puts(NAME(s + s));
    puts(NAME((unsigned short)1));
    puts(NAME(ci));
    puts(NAME(1u));
    puts(NAME(1L));
    puts(NAME(1ull));
    puts(NAME(1u + 1L));
    puts(NAME(1ul + 1ll));
    puts(NAME(f));
    puts(NAME(f + 1));
    puts(NAME(f + 1.0));
    puts(NAME(1.0L * c));
    puts(NAME('a'));
    puts(NAME("str"));
    puts(NAME((const char *)0));
    puts(NAME(arr));
    puts(NAME(&arr));
    puts(NAME(&arr[0]));
    puts(NAME((void *)0));
    puts(NAME(abs_i));
    puts(NAME(st));
    puts(NAME(b));
    puts(NAME(!b));
    puts(NAME(b ? c : s));
    puts(NAME(sizeof 1));
    puts(NAME(&arr[1] - arr));
    puts(NAME(c = 2));
    puts(NAME(s <<= 1));
    printf("%d %ld %g\n", ABS(-5), ABS(-5000000000L), ABS(-2.5));
    int n = 0;
    printf("%d ", _Generic(n++, int: 10, default: 20));
    printf("%d\n", n);
    return 0;
}
