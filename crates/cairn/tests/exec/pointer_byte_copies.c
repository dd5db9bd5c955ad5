// Pointers copied byte by byte, through memcpy, unions and struct copies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct box { char tag; int *p; char *s; short end; };
union slot { void *p; unsigned char raw[sizeof(void *)]; };

static void copy(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    while (n--)
        *t++ = *f++;
}

static void swap_bytes(void *a, void *b, size_t n)
{
    char *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        char t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

static int inc(int x) { return x + 1; }
static int dbl(int x) { return x * 2; }

int main(void)
{
    int v = 5, w = 6, *p = &v, *q = NULL;
    copy(&q, &p, sizeof p);
    *q += 10;
    printf("%d %d\n", v, p == q);
    int *r = &w;
    swap_bytes(&p, &r, sizeof p);
    printf("%d %d\n", *p, *r);
    int *m;
    memcpy(&m, &p, sizeof m);
    memmove(&q, &m, sizeof m);
    printf("%d\n", *q);
    struct box b = { 'b', &v, "text", -2 }, c;
    copy(&c, &b, sizeof b);
    *c.p = 77;
    printf("%c %d %s %d\n", c.tag, v, c.s, c.end);
    int (*f)(int) = inc, (*g)(int) = dbl;
    swap_bytes(&f, &g, sizeof f);
    printf("%d %d\n", f(10), g(10));
    unsigned char *store = malloc(3 * sizeof(int *) + 1);
    for (int i = 0; i < 3; i++) {
        int *each = i == 1 ? &w : &v;
        memcpy(store + 1 + i * sizeof each, &each, sizeof each);
    }
    for (int i = 0; i < 3; i++) {
        int *each;
        memcpy(&each, store + 1 + i * sizeof each, sizeof each);
        printf("%d ", *each);
    }
    putchar('\n');
    free(store);
    union slot s = { &w }, t;
    for (unsigned i = 0; i < sizeof(void *); i++)
        t.raw[sizeof(void *) - 1 - i] = s.raw[sizeof(void *) - 1 - i];
    printf("%d %d\n", *(int *)t.p, s.p == t.p);
    struct box arr[3] = { b, c, b };
    swap_bytes(&arr[0], &arr[2], sizeof arr[0]);
    printf("%s %d\n", arr[2].s, *arr[0].p);
    char *names[] = { "x", "y", "z" };
    copy(names, names + 1, 2 * sizeof *names);
    printf("%s%s%s\n", names[0], names[1], names[2]);
    return 0;
}
