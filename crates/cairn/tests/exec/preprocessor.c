// Macros: stringizing, pasting, variadics, conditionals, recursion guard, __LINE__.
#include <stdio.h>
#define EMPTY
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define LOG(fmt, ...) printf("log: " fmt "\n", ##__VA_ARGS__)
#define NARGS(args...) sizeof((int[]){ args }) / sizeof(int)
#define FIRST(a, ...) a
#define SQUARE(x) ((x) * (x))
#define f(x) ((x) + g)
#define LIST X(red, 1) X(green, 2) X(blue, 4)
#define X(name, v) COLOR_##name = v,
enum { LIST };
#undef X
#define X(name, v) { #name, COLOR_##name },
static const struct { const char *n; int v; } colors[] = { LIST };
#undef X

#if defined(EMPTY) && !defined(NOPE) && (2 + 3 * 4 == 14) && -1 < 0
#define COND 1
#elif 1
#define COND 2
#else
#error unreachable
#endif
#if 0
#error "skipped '
#endif
#if __STDC_VERSION__ >= 201112L && 'a' == 97 && (1 ? 2 : 3) == 2 && 0xffffffff > 0
#define C11 1
#endif
#ifdef __LP64__
#define BITS 64
#else
#define BITS 32
#endif

int main(void)
{
    int foo = 0, XCAT(var, __LINE__) = 5, xy = 9;
    printf("%s %s\n", STR(a  +  "b\n"), XSTR(SQUARE(1 + 2)));
    printf("%d %d\n", CAT(x, y), CAT(0x, 1f));
    LOG("no args");
    LOG("%d and %s", 1, "two");
    printf("%d %d\n", (int)(NARGS(1, 2, 3)), FIRST(7, 8, 9));
    printf("%d %d\n", SQUARE(3 + 1), foo);
#define foo foo + 1
    printf("%d %d\n", foo * 3, SQUARE(foo));
    int g = 10;
    printf("%d\n", f(1));
    for (unsigned i = 0; i < sizeof colors / sizeof *colors; i++)
        printf("%s=%d ", colors[i].n, colors[i].v);
    putchar('\n');
    printf("%d %d %d %d\n", COND, C11, BITS, __LINE__);
#line 100 "renamed.c"
    printf("%d %s\n", __LINE__, __FILE__);
    printf("%s %d\n", XSTR(XCAT(ab, EMPTY)), __COUNTER__ + __COUNTER__);
    printf("[%s] [%s]\n", XSTR(EMPTY), STR());
    return 0 EMPTY;
}
