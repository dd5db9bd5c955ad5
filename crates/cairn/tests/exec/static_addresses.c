// Static initialisers holding address constants of all kinds.
#include <stdio.h>
#include <stddef.h>

struct rec { int a; int b[4]; struct { char c; short s; } in; };

static struct rec recs[5] = { [3] = { 31, { 32, 33, 34, 35 }, { 'z', 36 } } };
static int *pa = &recs[3].a;
static int *pb = &recs[3].b[2];
static int *pe = recs[3].b + 1;
static short *ps = &recs[3].in.s;
static int (*parr)[4] = &recs[3].b;
static struct rec *end = &recs[5];
static struct rec *back = &recs[5] - 2;
static char *str = "address constant" + 8;
static char text[] = "text", *mid = &text[1], *mid2 = 2 + text;
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*fns[])(int) = { one, &two, 0, *one };
static int (**pfns)(int) = &fns[1];
static void *self = &self;
static struct node { struct node *next; int v; } ring[3] = {
    { &ring[1], 1 }, { &ring[2], 2 }, { ring, 3 }
};
static int matrix[3][3] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static int *row = matrix[1], (*rows)[3] = matrix + 1, *cell = &matrix[2][1];
static size_t off = offsetof(struct rec, b[1]);
static int cond = sizeof(struct rec) > 4 ? 11 : 22;
static long tagged = (long)&recs[0] * 0 + 5;

int main(void)
{
    static int *local = &matrix[0][2];
    static int (*const lf)(int) = two;
    static const char *msgs[] = { "first", "second", &"third"[1] };

    printf("%d %d %d %d %d\n", *pa, *pb, *pe, *ps, (*parr)[3]);
    printf("%td %d\n", end - recs, back->a);
    printf("%s %s %s\n", str, mid, mid2);
    printf("%d %d %d %d\n", fns[0](1), fns[1](1), fns[2] == 0, fns[3](5));
    printf("%d %d\n", (*pfns)(10), pfns[-1](10));
    printf("%d\n", *(void **)self == self);
    struct node *n = ring;
    for (int i = 0; i < 5; i++, n = n->next)
        printf("%d ", n->v);
    putchar('\n');
    printf("%d %d %d %d\n", row[0], rows[1][0], *cell, cell[-3]);
    printf("%zu %d\n", off, cond);
    printf("%d %d %s %s\n", *local, lf(3), msgs[1], msgs[2]);
    pa = &recs[3].b[0];
    printf("%d %td\n", *pa, pb - pa);
    return 0;
}
