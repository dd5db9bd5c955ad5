/* GNU vectors: operators element by element, with scalars, comparisons, subscripts, casts, calls and shuffles. */
#include <stdio.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16)));
typedef unsigned u4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef signed char c8 __attribute__((vector_size(8)));
typedef unsigned short s4 __attribute__((vector_size(8)));
typedef long long l2 __attribute__((vector_size(16)));

static v4 table[2] = { { 1, 2, 3, 4 }, { 5 } };
struct holder { char c; v4 v; } holder = { 'x', { 9, 8, 7, 6 } };

static void show(const char *what, v4 v)
{
    printf("%s %d %d %d %d\n", what, v[0], v[1], v[2], v[3]);
}

static v4 twice(v4 v)
{
    return v + v;
}

static int calls;
static v4 *once(void)
{
    calls++;
    return &table[1];
}

int main(void)
{
    v4 a = { 1, -2, 3, -4 }, b = { 10, 20, 30, 40 };
    show("+", a + b);
    show("-", a - b);
    show("*", a * b);
    show("/", b / a);
    show("%", b % a);
    show("&", a & b);
    show("|", a | b);
    show("^", a ^ b);
    show("<<", b << (v4){ 1, 2, 3, 4 });
    show(">>", a >> 1);
    show("neg", -a);
    show("not", ~a);
    show("scalar", 2 * a + 1);
    show("<", a < b);
    show("==", a == (v4){ 1, 20, 3, 40 });
    show("twice", twice(table[0]));
    a += b;
    a *= 3;
    a <<= 1;
    show("compound", a);
    *once() += 4;
    (*once())++;
    --*once();
    show("once", table[1]);
    printf("%d calls\n", calls);
    show("post", a++);
    show("then", a);
    holder.v -= a;
    show("member", holder.v);
    a[2] = 77;
    for (int i = 0; i < 4; i++)
        b[i] += i;
    show("elements", a + b);
    printf("%d %d\n", (a + b)[2], twice(a)[3]);
    c8 c = { 127, -128, 1, 2, 3, 4, 5, 6 }, e = c + c;
    printf("%d %d %d %d\n", e[0], e[1], e[2], e[7]);
    s4 s = { 65535, 1, 2, 3 };
    s = s + 1;
    printf("%u %u %d\n", s[0], s[1], (s > 1)[3]);
    u4 u = { 1, 2, 0xffffffffu, 4 };
    v4 mask = u > (u4){ 0, 3, 5, 4 };
    show("mask", mask);
    show("select", (a & mask) | (b & ~mask));
    f4 f = { 1.5f, -2.25f, 0, 4 }, g = f * f - 0.5f;
    printf("%g %g %g %g\n", g[0], g[1], g[2], g[3]);
    show("float", f < g);
    d2 d = { 1, 3 }, q = d / 3;
    printf("%a %a\n", q[0], q[1]);
    show("bits", (v4)f);
    l2 l = (l2)a;
    printf("%llx %llx\n", (unsigned long long)l[0], (unsigned long long)l[1]);
    printf("%llx\n", (unsigned long long)(long long)s);
    show("shuffle", __builtin_shuffle(a, (v4){ 3, 2, 1, 0 }));
    show("two", __builtin_shuffle(a, b, (v4){ 0, 4, 7, 9 }));
    int flat[4];
    memcpy(flat, &a, sizeof flat);
    printf("%d %zu %zu\n", flat[3], sizeof a, _Alignof(v4));
    show("choice", calls > 1 ? a : b);
    return (a - a)[1];
}
