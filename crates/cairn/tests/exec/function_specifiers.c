// _Noreturn, inline, static array parameters, restrict, attributes, asm labels.
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>

int renamed(int) __asm__("real_symbol");
int renamed(int x) { return x + 7; }

extern int also(int) __asm("plain_also") __attribute__((const));
int also(int x) { return x - 7; }

int global_var __asm__("global_alias") = 12;

static inline int inl(int x) { return x * 3; }
static __inline__ __attribute__((always_inline)) int inl2(int x) { return inl(x) + 1; }
extern inline __attribute__((gnu_inline)) int inl3(int x) { return x + 100; }
int inl3(int x) { return x + 100; }

static _Noreturn void leave(int code)
{
    printf("leaving %d\n", code);
    exit(code);
}

noreturn static void leave2(void) { leave(4); }

static int three(int a[static 3]) { return a[0] + a[1] + a[2]; }
static int qual(int a[const], int n[restrict 2]) { return a[0] * n[1]; }

static void axpy(int n, float *restrict y, const float *__restrict__ x, float a)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

__attribute__((noinline, unused)) static int attr1(int x __attribute__((unused))) { return 1; }
static int __attribute__((pure)) attr2(const char *s) { return s[0]; }
static int attr3(const char *f, ...) __attribute__((format(printf, 1, 2), nonnull(1)));
static int attr3(const char *f, ...) { return f[0]; }
static __attribute__((warn_unused_result)) int *attr4(void) { static int v = 5; return &v; }
static int used __attribute__((used, section(".data"))) = 3;
typedef int v_int __attribute__((__may_alias__));
struct __attribute__((packed)) at { char c; int i __attribute__((aligned(4))); } __attribute__((aligned(8)));
enum __attribute__((packed)) en { EN_A __attribute__((deprecated)) = 1, EN_B };

int main(void)
{
    int a[] = { 1, 2, 3, 4 };
    float x[2] = { 1, 2 }, y[2] = { 10, 20 };
    printf("%d %d %d\n", renamed(1), also(10), global_var);
    printf("%d %d %d\n", inl(5), inl2(5), inl3(5));
    printf("%d %d\n", three(a + 1), qual(a, a));
    axpy(2, y, x, 0.5f);
    printf("%g %g\n", y[0], y[1]);
    printf("%d %d %d %d %d\n", attr1(0), attr2("A"), attr3("B%d", 1), *attr4(), used);
    printf("%zu %zu %d\n", sizeof(struct at), sizeof(enum en), EN_B);
    int local __attribute__((unused)) = 1, (*fp)(int) __attribute__((unused)) = inl2;
    v_int vi = 2;
    printf("%d %d\n", fp(vi), __extension__ ({ 9; }));
    if (a[0])
        leave2();
lab: __attribute__((unused));
    return 1;
}
