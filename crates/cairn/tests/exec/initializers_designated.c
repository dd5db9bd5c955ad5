// Designated initialisers: members, indices, ranges, nesting, overriding order.
#include <stdio.h>

struct in { int a, b[3]; };
struct out { char c; struct in i[2]; double d; const char *s; };

static int sparse[] = { 1, [5] = 2, 3, [2] = 9, [8 ... 10] = 4, 5 };
static struct out glob = { .d = 1.5, .s = "later", .i[1].b[2] = 7, .c = 'g', .i[0] = { 3, { 4 } } };
static const char *names[] = { [2] = "two", [0] = "zero" };
static int grid[3][4] = { [1] = { [2] = 5, 6 }, [0][3] = 1, 2 };
static char classes[256] = { ['0' ... '9'] = 1, ['a' ... 'z'] = 2, ['_'] = 3, ['e'] = 4 };

static void dump(const struct out *o)
{
    printf("%c %g %s:", o->c ?: '-', o->d, o->s ?: "null");
    for (int i = 0; i < 2; i++)
        printf(" %d(%d %d %d)", o->i[i].a, o->i[i].b[0], o->i[i].b[1], o->i[i].b[2]);
    putchar('\n');
}

int main(void)
{
    printf("%zu:", sizeof sparse / sizeof *sparse);
    for (unsigned i = 0; i < sizeof sparse / sizeof *sparse; i++)
        printf(" %d", sparse[i]);
    putchar('\n');
    dump(&glob);
    printf("%zu %s %d %s\n", sizeof names / sizeof *names, names[0], names[1] == 0, names[2]);
    for (int i = 0; i < 12; i++)
        printf("%d ", grid[i / 4][i % 4]);
    putchar('\n');
    for (const char *p = "a5_Ze!"; *p; p++)
        printf("%d ", classes[(int)*p]);
    putchar('\n');
    int n = 3;
    struct out loc = { 'l', { { n, { [1] = n * n } }, { .b = { 1, 2, 3 }, .a = 8 } }, .s = "loc" };
    dump(&loc);
    struct out part = { .i = { [1] = loc.i[0] }, .i[1].b[0] = 55, .d = n };
    dump(&part);
    struct in list[] = { [1].a = 4, [1].b[1] = 6, { 7, 8, 9, 10 }, [0] = { 1 } };
    printf("%zu\n", sizeof list / sizeof *list);
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
        printf("%d %d %d %d\n", list[i].a, list[i].b[0], list[i].b[1], list[i].b[2]);
    union { int i; double d; char c[8]; } u = { .c = { [3] = 1, [0] = 2 } };
    printf("%x\n", u.i);
    struct { int x : 4, y : 4; int z; } bf = { .y = 3, -1, .x = 5 };
    printf("%d %d %d\n", bf.x, bf.y, bf.z);
    int old = { 5 }, gcc_style[2] = { [0] 3, [1] 4 };
    struct in gs = { a: 6, b: { 7 } };
    printf("%d %d %d %d\n", old, gcc_style[1], gs.a, gs.b[0]);
    return 0;
}
