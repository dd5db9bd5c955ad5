// expect, constant_p, types_compatible_p, choose_expr, object_size and friends.
#include <stdio.h>
#include <stddef.h>
#include <string.h>

struct s { char a; int b[4]; };

static int sign(int x)
{
    if (__builtin_expect(x > 0, 1))
        return 1;
    if (__builtin_expect(!!(x < 0), 0))
        return -1;
    return 0;
}

static int kind(int x)
{
    switch (x & 3) {
    case 0: return 10;
    case 1: return 11;
    case 2: return 12;
    case 3: return 13;
    }
    __builtin_unreachable();
}

static int guarded(int x)
{
    if (x > 1000)
        __builtin_trap();
    return __builtin_expect_with_probability(x, 5, 0.9) * 2;
}

#define IS(t, x) __builtin_types_compatible_p(t, __typeof__(x))
#define PICK(x) __builtin_choose_expr(IS(double, x), 1.5, "not double")

int main(void)
{
    printf("%d %d %d\n", sign(5), sign(-5), sign(0));
    printf("%d %d %d\n", kind(4), kind(7), guarded(21));
    int v = 3;
    printf("%d %d %d\n", __builtin_constant_p(5), __builtin_constant_p("s"), __builtin_constant_p(sizeof v));
    printf("%d %d %d %d\n", IS(int, v), IS(unsigned, v), IS(const int, v), IS(int *, &v));
    printf("%d %d\n", IS(int[4], ((struct s *)0)->b), __builtin_types_compatible_p(int[], int[5]));
    printf("%g %s\n", PICK(2.0), PICK(2));
    printf("%zu\n", __builtin_offsetof(struct s, b[2]));
    char buf[20];
    printf("%zu\n", __builtin_object_size(buf, 0));
    __builtin_strcpy(buf, "builtin");
    printf("%zu %d\n", __builtin_strlen(buf), __builtin_strcmp(buf, "built") > 0);
    __builtin_memcpy(buf + 3, "XYZ", 3);
    __builtin_memset(buf, '-', 2);
    __builtin_printf("%s %d\n", buf, __builtin_memcmp(buf, "--", 2));
    printf("%s\n", __builtin_strchr(buf, 'Y'));
    printf("%d %ld\n", __builtin_abs(-4), __builtin_labs(-40L));
    printf("%f %d\n", __builtin_inf(), __builtin_isnan(__builtin_nan("")));
    printf("%d %d\n", __builtin_isinf_sign(-__builtin_inf()), __builtin_signbit(-1.0) != 0);
    printf("%g %g\n", __builtin_fabs(-2.5), __builtin_huge_val());
    printf("%d\n", __builtin_isgreater(2.0, 1.0) + __builtin_isunordered(1.0, __builtin_nan("")));
    int aligned = (int)((size_t)__builtin_assume_aligned(&v, 4) & 3);
    printf("%d\n", aligned);
    __builtin_prefetch(&v);
    printf("%d %s\n", __LINE__, __builtin_FUNCTION());
    return 0;
}
