// qsort and bsearch with various element types and comparators.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rec { char name[8]; int age; };

static int by_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int desc(const void *a, const void *b) { return by_int(b, a); }
static int by_str(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int by_rec(const void *a, const void *b)
{
    const struct rec *x = a, *y = b;
    return x->age != y->age ? x->age - y->age : strcmp(x->name, y->name);
}

static int by_char(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int key_name(const void *k, const void *e) { return strcmp(k, *(char *const *)e); }

int main(void)
{
    int v[] = { 42, -7, 0, 13, 99, -100, 5, 13, 8, 1 };
    int n = sizeof v / sizeof *v;
    qsort(v, n, sizeof *v, by_int);
    for (int i = 0; i < n; i++)
        printf("%d ", v[i]);
    putchar('\n');
    for (int key = -8; key < 15; key += 7) {
        int *f = bsearch(&key, v, n, sizeof *v, by_int);
        printf("%d:%td ", key, f ? f - v : -1);
    }
    putchar('\n');
    qsort(v + 2, 5, sizeof *v, desc);
    for (int i = 0; i < n; i++)
        printf("%d ", v[i]);
    putchar('\n');
    const char *names[] = { "pear", "apple", "fig", "banana", "cherry" };
    qsort(names, 5, sizeof *names, by_str);
    for (int i = 0; i < 5; i++)
        printf("%s ", names[i]);
    const char **hit = bsearch("fig", names, 5, sizeof *names, key_name);
    printf("| %s %d\n", *hit, bsearch("kiwi", names, 5, sizeof *names, key_name) == NULL);
    struct rec r[] = { { "zed", 30 }, { "amy", 25 }, { "bob", 30 }, { "cat", 19 } };
    qsort(r, 4, sizeof *r, by_rec);
    for (int i = 0; i < 4; i++)
        printf("%s/%d ", r[i].name, r[i].age);
    putchar('\n');
    char s[] = "sortthesecharacters";
    qsort(s, strlen(s), 1, by_char);
    puts(s);
    qsort(v, 0, sizeof *v, by_int);
    int compares = 0;
    int counted(const void *a, const void *b) { compares++; return by_int(a, b); }
    qsort(v, n, sizeof *v, counted);
    printf("%d %d %d\n", v[0], v[n - 1], compares > 0);
    return 0;
}
