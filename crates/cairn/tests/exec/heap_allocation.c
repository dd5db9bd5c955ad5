// malloc, calloc, realloc, aligned_alloc, strdup, zero sizes and free(NULL).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

struct vec { int *data; size_t len, cap; };

static void push(struct vec *v, int x)
{
    if (v->len == v->cap) {
        v->cap = v->cap ? v->cap * 2 : 2;
        v->data = realloc(v->data, v->cap * sizeof *v->data);
    }
    v->data[v->len++] = x;
}

int main(void)
{
    int *a = malloc(4 * sizeof *a);
    for (int i = 0; i < 4; i++)
        a[i] = i * 11;
    a = realloc(a, 8 * sizeof *a);
    for (int i = 4; i < 8; i++)
        a[i] = -i;
    for (int i = 0; i < 8; i++)
        printf("%d ", a[i]);
    putchar('\n');
    a = realloc(a, 2 * sizeof *a);
    printf("%d %d\n", a[0], a[1]);
    free(a);
    char *z = calloc(10, 3);
    int sum = 0;
    for (int i = 0; i < 30; i++)
        sum += z[i];
    printf("%d\n", sum);
    free(z);
    struct vec v = { 0 };
    for (int i = 0; i < 100; i++)
        push(&v, i * i);
    printf("%zu %zu %d\n", v.len, v.cap, v.data[99]);
    free(v.data);
    double *d = aligned_alloc(64, 128);
    d[15] = 1.5;
    printf("%d %g\n", (int)((uintptr_t)d % 64), d[15]);
    free(d);
    free(NULL);
    char *s = strdup("copy me");
    s[0] = 'C';
    puts(s);
    free(s);
    void *m;
    printf("%d ", posix_memalign(&m, 32, 50));
    printf("%d\n", (int)((uintptr_t)m % 32));
    free(m);
    int (*grid)[5] = malloc(3 * sizeof *grid);
    for (int i = 0; i < 15; i++)
        grid[i / 5][i % 5] = i;
    printf("%d %d\n", grid[2][4], (*grid)[7 - 5]);
    free(grid);
    char **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++) {
        rows[i] = malloc(i + 2);
        memset(rows[i], 'a' + i, i + 1);
        rows[i][i + 1] = 0;
    }
    for (int i = 0; i < 3; i++) {
        printf("%s ", rows[i]);
        free(rows[i]);
    }
    free(rows);
    putchar('\n');
    return 0;
}
