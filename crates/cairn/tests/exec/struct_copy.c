// Structs: assignment, copies are independent, nested and array members.
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct rect { struct point min, max; char name[10]; };
struct matrix { double m[2][3]; struct rect r[2]; };

static int same(struct point a, struct point b)
{
    return a.x == b.x && a.y == b.y;
}

int main(void)
{
    struct point p = { 1, 2 }, q;
    q = p;
    q.x = 50;
    printf("%d %d %d %d\n", p.x, p.y, q.x, q.y);
    struct rect r = { p, q, "first" }, s = r;
    s.min.y = -7;
    strcpy(s.name, "second");
    printf("%s %d | %s %d\n", r.name, r.min.y, s.name, s.min.y);
    struct matrix m = { { { 1, 2, 3 }, { 4, 5, 6 } }, { r, s } };
    struct matrix copy = m;
    m.m[1][2] = 60;
    m.r[0].max = (struct point){ 8, 9 };
    printf("%g %g %d %d\n", m.m[1][2], copy.m[1][2], m.r[0].max.x, copy.r[0].max.x);
    struct point a[4] = { { 1, 1 }, { 2, 2 } };
    a[3] = a[1];
    a[1] = a[0];
    for (int i = 0; i < 4; i++)
        printf("(%d,%d)", a[i].x, a[i].y);
    putchar('\n');
    struct point *pp = &a[2];
    *pp = a[3];
    pp->y += 40;
    (*pp).x--;
    pp[-1] = *pp;
    printf("%d %d %d\n", a[1].x, a[1].y, same(a[1], a[2]));
    p = q = a[3];
    printf("%d %d\n", p.x, q.y);
    p = p;
    struct point t = (p.x > 1 ? p : q);
    printf("%d %d\n", t.x, (q = (struct point){ 3, 4 }).y);
    printf("%d\n", (t, q).x);
    struct wrap { struct { int in; struct { int deep[2]; } d; } o; } w = { { 1, { { 2, 3 } } } }, v;
    v = w;
    v.o.d.deep[1] *= 5;
    printf("%d %d %d\n", w.o.d.deep[1], v.o.d.deep[1], v.o.in);
    return 0;
}
