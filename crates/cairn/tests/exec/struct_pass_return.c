// Passing and returning structs by value: small, large, with floats, in unions.
#include <stdio.h>

struct small { char c; };
struct two { int a; float f; };
struct dbl { double x, y; };
struct mixed { double d; long l; };
struct odd { char c[3]; };
struct big { int a[20]; double d; };
union number { int i; double d; };
struct ld { long double v; };

static struct small mk_small(char c) { return (struct small){ c }; }
static struct two mk_two(int a, float f) { struct two t = { a, f }; return t; }
static struct dbl add(struct dbl a, struct dbl b) { a.x += b.x; a.y += b.y; return a; }
static struct mixed mk_mixed(int n) { return (struct mixed){ n / 2.0, n * 3L }; }
static struct odd mk_odd(int n) { struct odd o = { { n, n + 1, n + 2 } }; return o; }
static struct ld mk_ld(double d) { return (struct ld){ d * 2 }; }

static struct big mk_big(int n)
{
    struct big b;
    for (int i = 0; i < 20; i++)
        b.a[i] = i * n;
    b.d = n + 0.5;
    return b;
}

static int sum(struct big b)
{
    int s = 0;
    for (int i = 0; i < 20; i++) {
        s += b.a[i];
        b.a[i] = -1;
    }
    return s;
}

static union number half(union number n) { n.d /= 2; return n; }

static double all(struct small s, struct two t, struct dbl d, struct mixed m, struct odd o,
                  struct big b, union number u, int last, struct ld l)
{
    return s.c + t.a + t.f + d.x + d.y + m.d + m.l + o.c[0] + o.c[1] + o.c[2] + b.a[19] + b.d + u.d + last + l.v;
}

int main(void)
{
    struct big b = mk_big(3), c;
    printf("%d %g\n", sum(b), b.d);
    printf("%d\n", b.a[19]);
    c = mk_big(7);
    printf("%d %d\n", c.a[2], mk_big(5).a[4]);
    printf("%c %d %g\n", mk_small('q').c, mk_two(9, 2.5f).a, mk_two(9, 2.5f).f);
    struct dbl d = add((struct dbl){ 1, 2 }, (struct dbl){ 0.25, 0.5 });
    printf("%g %g\n", d.x, d.y);
    d = add(d, d);
    printf("%g %g\n", d.x, d.y);
    printf("%g %ld\n", mk_mixed(7).d, mk_mixed(7).l);
    union number u = { .d = 9 };
    printf("%g %g\n", half(u).d, u.d);
    printf("%g\n", all(mk_small(1), mk_two(2, 3), d, mk_mixed(4), mk_odd(5), b, u, 6, mk_ld(7)));
    printf("%Lg\n", mk_ld(1.25).v);
    struct odd os[2] = { mk_odd(10), mk_odd(20) };
    printf("%d %d\n", os[0].c[2], os[1].c[0]);
    return 0;
}
