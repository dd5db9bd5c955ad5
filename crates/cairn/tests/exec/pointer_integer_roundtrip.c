// Pointers through uintptr_t with tag bits, and arithmetic on the integer.
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

struct node { long v; uintptr_t link; };

enum { TAG = 1, MARK = 2, BITS = 3 };

static struct node *ptr(uintptr_t t) { return (struct node *)(t & ~(uintptr_t)BITS); }
static uintptr_t tag(struct node *n, int bits) { return (uintptr_t)n | bits; }

static uintptr_t push(uintptr_t head, long v)
{
    struct node *n = malloc(sizeof *n);
    n->v = v;
    n->link = head;
    return tag(n, v % 4);
}

int main(void)
{
    uintptr_t head = 0;
    for (int i = 1; i <= 6; i++)
        head = push(head, i * 5);
    for (uintptr_t t = head; ptr(t); t = ptr(t)->link)
        printf("%ld:%d ", ptr(t)->v, (int)(t & BITS));
    putchar('\n');
    while (ptr(head)) {
        struct node *n = ptr(head);
        head = n->link;
        free(n);
    }
    int a[4] = { 10, 20, 30, 40 };
    uintptr_t u = (uintptr_t)a;
    int *p = (int *)(u + 2 * sizeof(int));
    printf("%d %d\n", *p, (uintptr_t)p == u + 8);
    long off = (long)&a[3] - (long)&a[0];
    printf("%ld\n", off);
    intptr_t neg = (intptr_t)&a[3];
    neg -= 4;
    printf("%d\n", *(int *)neg);
    uintptr_t x = (uintptr_t)&a[0] ^ (uintptr_t)&a[1];
    printf("%d\n", *(int *)(x ^ (uintptr_t)&a[1]));
    printf("%d %d\n", (int *)(uintptr_t)p == p, (void *)0 == (void *)(uintptr_t)0);
    int (*fn)(const char *) = puts;
    uintptr_t fu = (uintptr_t)fn;
    ((int (*)(const char *))fu)("called through an integer");
    printf("%d\n", (_Bool)p + (p != 0));
    unsigned long long wide = (unsigned long long)(uintptr_t)p << 1;
    printf("%d\n", *(int *)(uintptr_t)(wide >> 1));
    uint32_t lo = (uint32_t)u, hi = (uint32_t)((uint64_t)u >> 32);
    printf("%d\n", *(int *)(uintptr_t)((uint64_t)hi << 32 | lo));
    void *small = (void *)(intptr_t)42;
    printf("%d\n", (int)(intptr_t)small);
    return 0;
}
