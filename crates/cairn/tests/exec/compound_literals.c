// Compound literals: static and automatic storage, arrays, addresses, in loops.
#include <stdio.h>
#include <string.h>

struct p { int x, y; };
struct list { int v; const struct list *next; };

static int *garr = (int[]){ 1, 2, 3, 4 };
static struct p *gp = &(struct p){ 5, 6 };
static const struct list *chain = &(struct list){ 1, &(struct list){ 2, &(struct list){ 3, 0 } } };

static int sum(const int *a, int n)
{
    int s = 0;
    while (n--)
        s += *a++;
    return s;
}

static int dist(struct p a, const struct p *b)
{
    return (a.x - b->x) * (a.x - b->x) + (a.y - b->y) * (a.y - b->y);
}

int main(void)
{
    garr[1] = 20;
    gp->x *= 2;
    printf("%d %d %d\n", sum(garr, 4), gp->x, gp->y);
    for (const struct list *l = chain; l; l = l->next)
        printf("%d ", l->v);
    putchar('\n');
    printf("%d\n", sum((int[]){ 10, 20, 30 }, 3));
    printf("%d\n", dist((struct p){ 1, 2 }, &(struct p){ .y = 6, .x = 4 }));
    int n = 4;
    int *p = (int[5]){ n, n + 1, [4] = n * n };
    p[3] = 100;
    printf("%d %d %d %d\n", p[1], p[2], p[3], p[4]);
    struct p q = (struct p){ .x = n };
    q = (struct p){ q.y, q.x };
    printf("%d %d\n", q.x, q.y);
    (struct p){ 1, 2 }.x = 9;
    printf("%d\n", ((struct p){ 3, 4 }).y);
    int i = (int){ 7.9 };
    printf("%d %d\n", i, ++(int){ 41 });
    for (int k = 0; k < 3; k++) {
        int *fresh = (int[2]){ k };
        fresh[1] += k + 1;
        fresh[0] += 10;
        printf("%d %d ", fresh[0], fresh[1]);
    }
    putchar('\n');
    char *s = (char[]){ "modifiable" };
    s[0] = 'M';
    printf("%s %zu\n", s, sizeof((char[]){ "modifiable" }));
    printf("%zu\n", sizeof((int[]){ 1, 2, 3 }) / sizeof(int));
    double (*m)[2] = (double[][2]){ { 1, 2 }, { 3, 4 } };
    printf("%g\n", m[1][0]);
    union { int i; float f; } u = { .f = 1 };
    printf("%d\n", (union { int i; float f; }){ .f = 1 }.i == u.i);
    return 0;
}
