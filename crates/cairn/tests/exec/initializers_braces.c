// Elided and nested braces, strings in char arrays, unknown array sizes.
#include <stdio.h>
#include <string.h>

struct p { int x, y; };
struct q { struct p a[2]; char name[6]; int tail; };

static struct q qs[] = { 1, 2, 3, 4, "abc", 5, { { 6, 7 }, "xyz", 8 } };
static int m1[2][3] = { 1, 2, 3, 4 };
static int m2[][2] = { { 1 }, { 2, 3 }, 4, 5 };
static int m3[2][2][2] = { { { 1 }, 2, 3 }, { 4, 5, 6 } };
static char s1[] = "hello", s2[3] = "abc", s3[8] = "hi", s4[] = { "braced" };
static char table[][5] = { "one", "two", "four", { 'x', 'y' } };
static const char *const ptrs[] = { "alpha", "beta" + 1, 0 };
static struct { char tag[4]; struct p pt; } tagged[] = { "ab", 1, 2, { "cd", { 3 } } };

int main(void)
{
    printf("%zu\n", sizeof qs / sizeof *qs);
    printf("%d %d %d %s %d\n", qs[0].a[0].y, qs[0].a[1].x, qs[0].a[1].y, qs[0].name, qs[0].tail);
    for (int i = 0; i < 6; i++)
        printf("%d ", m1[i / 3][i % 3]);
    printf("| %zu:", sizeof m2 / sizeof *m2);
    for (int i = 0; i < 6; i++)
        printf(" %d", m2[i / 2][i % 2]);
    putchar('\n');
    for (int i = 0; i < 8; i++)
        printf("%d ", m3[i / 4][i / 2 % 2][i % 2]);
    putchar('\n');
    printf("%zu %zu %zu %zu\n", sizeof s1, sizeof s2, sizeof s3, sizeof s4);
    printf("%s %.3s %s %d %s\n", s1, s2, s3, s3[7], s4);
    printf("%zu %s %s %s %s\n", sizeof table, table[0], table[1], table[2], table[3]);
    printf("%s %s %d\n", ptrs[0], ptrs[1], !ptrs[2]);
    printf("%zu %s %d %s %d %d\n", sizeof tagged / sizeof *tagged, tagged[0].tag, tagged[0].pt.y,
           tagged[1].tag, tagged[1].pt.x, tagged[1].pt.y);
    struct p pt = { 8, 9 };
    struct q loc = { pt, 10, 11, "n", 12 };
    printf("%d %d %d %d %s %d\n", loc.a[0].x, loc.a[0].y, loc.a[1].x, loc.a[1].y, loc.name, loc.tail);
    int zeros[50] = { 0 }, sum = 0;
    for (int i = 0; i < 50; i++)
        sum += zeros[i];
    char buf[20] = "x";
    for (int i = 0; i < 20; i++)
        sum += buf[i];
    printf("%d\n", sum);
    int dyn[] = { sum, sum + 1, sum * 2 };
    printf("%zu %d\n", sizeof dyn, dyn[2]);
    struct p e[2] = {};
    printf("%d %d\n", e[0].x, e[1].y);
    union { struct p p; double d; } u = { { 3, 4 } };
    printf("%d %d\n", u.p.x, u.p.y);
    return 0;
}
