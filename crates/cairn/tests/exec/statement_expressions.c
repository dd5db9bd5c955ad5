// Statement expressions, typeof, __auto_type and macros built from them.
#include <stdio.h>

#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define SWAP(a, b) do { __auto_type _t = (a); (a) = (b); (b) = _t; } while (0)
#define CLAMP(x) ({ int _r; if ((x) < 0) _r = 0; else if ((x) > 9) _r = 9; else _r = (x); _r; })

struct p { int x, y; };

static int find(const int *v, int n, int key)
{
    for (int i = 0; i < n; i++)
        (void)({ if (v[i] == key) return i; 0; });
    return -1;
}

int main(void)
{
    int i = 3, j = 8;
    printf("%d ", MAX(i++, j++));
    printf("%d %d\n", i, j);
    printf("%g %ld\n", MAX(1.5, 1), MAX(-1L, 0));
    SWAP(i, j);
    printf("%d %d\n", i, j);
    double a = 1.5, b = 2.5;
    SWAP(a, b);
    printf("%g %g\n", a, b);
    printf("%d %d %d\n", CLAMP(-5), CLAMP(5), CLAMP(50));
    int total = ({ int s = 0; for (int k = 1; k <= 10; k++) s += k; s; });
    printf("%d\n", total);
    struct p q = ({ struct p t = { 1, 2 }; t.y *= 10; t; });
    printf("%d %d %d\n", q.x, q.y, ({ q; }).y);
    printf("%d\n", ({ ({ 5; }) + ({ int z = 6; z; }); }));
    int v[] = { 7, 8, 9 };
    printf("%d %d\n", find(v, 3, 9), find(v, 3, 1));
    typeof(v) w = { 1 };
    typeof(v[0]) *pw = w;
    typeof(int *) x1 = pw, x2 = pw;
    __auto_type l = 1L << 40;
    __auto_type f = 1.5f;
    const int ci = 5;
    __typeof__(ci + 0) mut = ci;
    mut++;
    printf("%zu %d %d %zu %zu %d\n", sizeof w, *pw, x1 == x2, sizeof l, sizeof f, mut);
    typeof(int (*)(const int *, int, int)) fp = find;
    printf("%d\n", fp(v, 3, 8));
    typeof(i++) same = 4;
    printf("%d %d\n", same, i);
    if (({ int c = i > 5; c; }))
        puts("cond");
    while (({ i--; i > 5; }))
        printf("%d ", i);
    printf("%d\n", ({ goto skip; 1; }));
    puts("not reached");
skip:
    puts("skipped");
    return ({ int r = 7; r; });
}
