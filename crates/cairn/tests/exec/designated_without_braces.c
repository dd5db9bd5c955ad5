// A designator leads to an aggregate whose own braces are left out.
#include <stdio.h>

union value { int number; char bytes[4]; };
struct point { int x, y; };
struct outer { int first; union value value; struct point points[2]; int last; };

static struct outer fixed = { .value = 7, .points = 1, 2, 3, 4, 5 };

int main(void)
{
    struct outer a = { .value = 9, .last = 3 };
    struct outer b = { .points[1] = 5, 6, 7 };
    struct outer c = { .points = 1, 2, .value = 4, 8 };
    struct { struct { struct point p; } in; int z; } d = { .in = 1, 2, 3 };
    printf("%d %d %d\n", a.first, a.value.number, a.last);
    printf("%d %d %d %d\n", b.points[0].x, b.points[1].x, b.points[1].y, b.last);
    printf("%d %d %d %d\n", c.value.number, c.points[0].x, c.points[0].y, c.points[1].x);
    printf("%d %d %d\n", d.in.p.x, d.in.p.y, d.z);
    printf("%d %d %d %d %d\n", fixed.value.number, fixed.points[0].x, fixed.points[0].y, fixed.points[1].y, fixed.last);
    return 0;
}
