// Tag namespaces, shadowed tags, incomplete types, self and mutual references.
#include <stdio.h>

struct a;
struct b { struct a *pa; int v; };
struct a { struct b *pb; int v; };
struct t { int x; };
union v { struct t t; int raw; };
enum e { ONE = 1 };

static struct fwd *make(void);
struct fwd { int k; };
static struct fwd *make(void) { static struct fwd f = { 12 }; return &f; }

static int size_inner(void)
{
    struct t { char c[100]; };
    return sizeof(struct t);
}

static int declare_only(void)
{
    struct t;
    struct holder { struct t *p; } h;
    struct t { long l[4]; } val = { { 1, 2, 3, 4 } };
    h.p = &val;
    return h.p->l[3] * 10 + sizeof *h.p;
}

int main(void)
{
    struct b b = { 0, 1 };
    struct a a = { &b, 2 };
    b.pa = &a;
    printf("%d %d\n", a.pb->pa->pb->v, b.pa->v);
    printf("%zu %d %zu\n", sizeof(struct t), size_inner(), sizeof(struct t));
    printf("%d\n", declare_only());
    printf("%d\n", make()->k);
    int t = 5;
    struct t t2 = { t };
    printf("%d %d\n", t, t2.x);
    {
        enum e { ONE = 11, TWO };
        enum e val = TWO;
        printf("%d %d\n", ONE, val);
    }
    printf("%d\n", ONE);
    struct { int t, t2; struct t t3; } many = { 1, 2, { 3 } };
    printf("%d %d %d\n", many.t, many.t2, many.t3.x);
    struct list { int v; struct list *next; } l1 = { 1, 0 }, l2 = { 2, &l1 };
    printf("%d\n", l2.next->v);
    union v u = { { 9 } };
    printf("%d %zu\n", u.raw, sizeof u);
    if (sizeof(struct inline_tag { char q[9]; }) == 9)
        printf("%zu\n", sizeof(struct inline_tag));
    const struct t ct = { 8 };
    struct t mt = ct;
    mt.x++;
    printf("%d %d\n", ct.x, mt.x);
    return 0;
}
